"""What a program's twists and hooks must do, or it does without: suit some draw, decide something, pass the gates."""

from collections.abc import Sequence
from random import Random

from toolscale.artifacts import Goal, Operator, ProgramTwist, Task
from toolscale.programs import Dead, Solution
from toolscale.programs.variants import another_value, drawn_twist
from toolscale.synthesis.heard import Hearing
from toolscale.synthesis.program_truth import Made, invented_answers, shown, strangers, untrue
from toolscale.synthesis.trial_ground import TrialGround, invented, most_common
from toolscale.templates.template import certain_slots, slots

TWISTS_PASSING = 0.6
"""The share of the tasks with a twist that must pass the gates: few are tried, and a draw that does not pass is only
made again."""

_TWISTED = 3
"""Draws with a twist, a repeat or a change of mind that are brought before the gates."""

_SUITED = 16
"""Differing tasks among which one is looked for that a twist suits, or on which it decides something."""

_BITING: tuple[Operator, ...] = ("constraint", "condition", "change_of_mind")
"""Operators of twists that must change what is written or told in some draw: to look up more is not enough."""

_STANDING: tuple[Operator, ...] = ("distractor", "refusal")
"""Operators of twists that may rightly change nothing at all."""


class TwistTrial:
    """The twists and hooks of one program on trial, on draws that all differ."""

    def __init__(self, ground: TrialGround, differing: Sequence[Made]) -> None:
        self._ground, self._program, self._workshop = ground, ground.program, ground.workshop
        self._differing = differing
        self.passed: list[Task] = []
        """Tasks that took a twist and passed the gates."""

    def problems(self) -> dict[str, list[str]]:
        """What is wrong with twists and hooks, by name."""
        found: dict[str, list[str]] = {}
        for twist in self._program.twists:
            if problem := self._twist_problem(twist):
                found[twist.name] = [f"twist `{twist.name}`: {problem}"]
        for hook, slot in (("again", self._program.again), ("changes", self._program.changes)):
            if slot and (problem := self._hook_problem(hook, slot)):
                found[hook] = [f"`{hook}`: {problem}"]
        return found

    def _twist_problem(self, twist: ProgramTwist) -> str:
        """What is wrong with a twist, tried on a few draws, and on more where it decides nothing in these."""
        problem = ""
        for most in (_TWISTED, _SUITED):
            goals, dead, problem = self._twisted_goals(twist, most)
            made, problem = ([], problem) if problem else self._variants([goal for _, goal in goals], dead)
            if problem:
                return problem
            plain = {goal.draw: each for each, goal in goals}
            problem = self._undecided(twist, [(plain[each.goal.draw], each) for each in made])
            if not problem:
                hearings, problem = self._ground.hearings(made[:_TWISTED], "draws with it", TWISTS_PASSING)
                heard_well = [each.task for each in hearings if isinstance(each, Hearing) and not each.reasons]
                self.passed += [] if problem else heard_well
                return problem
        return problem

    def _twisted_goals(self, twist: ProgramTwist, most: int) -> tuple[list[tuple[Made, Goal]], list[str], str]:
        """Draws that a twist suits with what it adds, why others do not suit it, and what is wrong with its words."""
        goals, dead = list[tuple[Made, Goal]](), list[str]()
        for each in self._differing[:_SUITED]:
            drawn = drawn_twist(self._workshop, self._program, twist, each.goal, each.goal.draw)
            if isinstance(drawn, Dead):
                if drawn.fault:
                    return goals, dead, drawn.reason
                dead.append(drawn.reason)
            else:
                said = set(drawn.facts) | set(each.goal.facts)
                to_say = drawn.facts.keys() - {*self._program.colour}
                if unsaid := [text for text in twist.wordings if not to_say <= certain_slots(text)]:
                    missing = sorted(to_say - certain_slots(unsaid[0]))
                    said_not = f"a wording does not say {', '.join(missing)}, which `draw_{twist.name}` draws"
                    return goals, dead, said_not
                if strange := set().union(*map(slots, twist.wordings)) - said:
                    return goals, dead, f"a wording has the slot {', '.join(sorted(strange))}, which is no fact"
                goals.append((each, each.goal.model_copy(update={"twists": [drawn]})))
            if len(goals) == most:
                break
        return goals, dead, ""

    def _undecided(self, twist: ProgramTwist, tried: Sequence[tuple[Made, Made]]) -> str:
        """What a twist says that `solve` does not go by; `tried` are draws without and with it."""
        made = [with_it for _, with_it in tried]
        if binding := next(self._ground.binding_colour(made), "") if made else "":
            return binding
        if twist.operator in _STANDING:
            return ""
        bites = twist.operator in _BITING
        few = bites and len(made) < _TWISTED and all(each.goal.twists[0].facts for each in made)  # figures will tell
        if not few and all(
            plain.solution.comes_to == it.solution.comes_to if bites else plain.does == it.does for plain, it in tried
        ):
            return (
                f"it decides nothing: {'what is written and told is' if bites else 'calls and answers are'} the same "
                f"with it and without it in all of {len(tried)} draws, such as {shown(made[0].said)}: let `solve` go "
                f"by `{twist.name}` and its facts, and let `draw_{twist.name}` return None, or other figures, where it "
                "decides nothing"
            )
        drawn = set.intersection(*(set(each.goal.twists[0].facts) for each in made))
        names = sorted(drawn - {*self._program.colour})
        false = {name: facts for name in names if (facts := untrue(self._workshop, self._program, made, name))}
        beyond = {name: invented(made[0].said[name]) for name in false}
        for name in self._ground.mattering_to_nothing(list(false), made, beyond):
            return (
                f"whatever its fact `{name}` is, calls and answers are the same, as for {shown(false[name])}: let "
                "`solve` go by it, or draw what is true of another fact's record"
            )
        return ""

    def _hook_problem(self, hook: str, slot: str) -> str:
        values = list(dict.fromkeys(each.goal.facts[slot] for each in self._differing))
        rng = Random(f"{hook} {self._ground.seed}")
        goals: list[Goal] = []
        for each in self._differing[:_SUITED]:
            if len(goals) == _TWISTED:
                break
            own = each.goal.facts[slot]
            if hook == "changes":
                others = [value for value in values if value != own]
                goals += [each.goal.model_copy(update={"at_first": rng.choice(others)})] if others else []
            elif (another := another_value(self._workshop, self._program, each.goal, slot)) is not None:
                goals.append(each.goal.model_copy(update={"repeats": [another]}))
        none = f"all draws have the same `{slot}`" if hook == "changes" else "no user has another"
        made, problem = self._variants(goals, [none])
        return problem or self._ground.hearings(made, "draws with it", TWISTS_PASSING)[1]

    def _variants(self, goals: Sequence[Goal], dead: Sequence[str]) -> tuple[list[Made], str]:
        """Harder versions of a request, and what is wrong: not that few can be made, but that none can, or untruths."""
        solved = self._ground.solved(goals)
        faults = [each for each in solved if isinstance(each, Dead) and each.fault]
        if faults:
            return [], most_common([each.reason for each in faults if each.tried])
        made = [Made(goal, each) for goal, each in zip(goals, solved, strict=True) if isinstance(each, Solution)]
        if not made:
            reasons = [*dead, *(each.reason for each in solved if isinstance(each, Dead))]
            return [], f"it suits none of {len(goals) + len(dead)} draws: {most_common(reasons)}"
        wrong = invented_answers(self._program, made, self._ground.context.sandbox.spec.policy)
        return made, strangers(self._workshop, self._program, made) or next(wrong, "")
