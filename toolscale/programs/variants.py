"""What can be drawn for a goal that is there: a twist of its program, another value of a slot."""

import ast
from collections.abc import Mapping, Sequence

from toolscale.artifacts import DrawnTwist, Fact, Facts, Goal, ProgramTwist, TaskProgram
from toolscale.programs.workshop import Dead, Solution, Workshop
from toolscale.python_source import parsed

_TRIES = 8
_OTHERWISE = 3
"""Other figures that a condition is tried with, before it is said to decide nothing whatever they are."""


def drawn_twist(
    workshop: Workshop, program: TaskProgram, twist: ProgramTwist, goal: Goal, seed: str
) -> DrawnTwist | Dead:
    """What a program's twist adds to a goal."""
    function = f"draw_{twist.name}"
    defined = {node.name for node in parsed(program.source).body if isinstance(node, ast.FunctionDef)}
    if function not in defined:
        return DrawnTwist(name=twist.name)
    facts: Facts = dict(goal.facts)
    for each in goal.twists:
        facts |= each.facts
    user = workshop.user(program, goal.facts)
    drawn = workshop.draw(program, [f"{seed}:{twist.name}"], function=function, facts=facts, user=user)[0]
    if isinstance(drawn, Dead):
        return drawn
    if clash := drawn.keys() & {*facts, *(each.name for each in program.twists)}:
        taken = ", ".join(sorted(clash))
        return Dead(f"`{function}` returns {taken}, which is a fact or a twist already: give it another name", True)
    return DrawnTwist(name=twist.name, facts=drawn)


def another_value(workshop: Workshop, program: TaskProgram, goal: Goal, slot: str) -> Fact | None:
    """Another value that the same user could name in a slot; None if there is none among a few draws."""
    user = workshop.user(program, goal.facts)
    seeds = [f"{goal.draw}:again:{number}" for number in range(_TRIES)]
    drawn = workshop.draw(program, seeds, user=user)
    known = {goal.facts[slot], *goal.repeats}
    values = [
        facts[slot]
        for facts in drawn
        if not isinstance(facts, Dead) and facts.get(program.user) == goal.facts[program.user] and slot in facts
    ]
    return next((value for value in values if value not in known), None)


def idle_limit(workshop: Workshop, programs: Mapping[str, TaskProgram], goals: Sequence[Goal], solved: Solution) -> str:
    """The twist of a solved request that puts a limit to it and decides nothing there; empty if there is none.

    A constraint must change what is written or told. A condition may well hold, so that nothing changes, but not if it
    would with other figures as well; one without figures may.
    """
    for place, goal in enumerate(goals):
        program = programs[goal.program]
        for twist in goal.twists:
            operator = program.twist(twist.name).operator
            if operator in ("constraint", "condition") and not (operator == "condition" and not twist.facts):
                without = goal.model_copy(update={"twists": [each for each in goal.twists if each != twist]})
                otherwise = _otherwise(workshop, program, goal, without, twist) if operator == "condition" else []
                ways = [without, *otherwise]
                wanted = [[*goals[:place], way, *goals[place + 1 :]] for way in ways]
                ends = workshop.solve_all(programs, wanted)
                if all(isinstance(end, Solution) and end.comes_to == solved.comes_to for end in ends):
                    return twist.name
    return ""


def _otherwise(workshop: Workshop, program: TaskProgram, goal: Goal, without: Goal, twist: DrawnTwist) -> list[Goal]:
    """The goal with other figures in a twist."""
    seeds = [f"{goal.draw}:otherwise:{number}" for number in range(_OTHERWISE)]
    drawn = [drawn_twist(workshop, program, program.twist(twist.name), without, seed) for seed in seeds]
    return [
        goal.model_copy(update={"twists": [other if each == twist else each for each in goal.twists]})
        for other in drawn
        if not isinstance(other, Dead)
    ]
