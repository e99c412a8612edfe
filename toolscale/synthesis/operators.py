"""Operators: what makes a task hard, by name. A mix says how often each is asked for; the author says which it used."""

from collections.abc import Mapping
from random import Random

from toolscale.artifacts import Operator

WORDS: Mapping[Operator, str] = {
    "constraint": "something that what is done must keep to: a limit, a preference, a thing to avoid",
    "condition": "a condition on what a call brings to light; what is done hangs on it",
    "entities": "the same for more entities, each of which may turn out otherwise",
    "change_of_mind": "the user changes an earlier choice of theirs, while speaking, and the new one counts",
    "second_goal": "a second goal that belongs to the first",
    "lookup": "a question beside the goal, whose answer takes look-ups of its own",
    "missing": "something that the user does not know (an id, a date) and describes instead, so that it takes two "
    "look-ups in a row to find",
    "refusal": "a wish that the policy forbids, to be noticed and refused, with the figure that explains it (the "
    "deadline, the limit, the price) as a fact; and what the user wants instead",
    "distractor": "something that is near what the user wants and must stay as it is",
    "computed": "something to work out that no function returns, from what calls return or the user names: a total, a "
    "difference, a share, days counted on the calendar",
    "dependent": "a goal that depends on another: what one write returns (a new id, a sum) is what a later write needs",
    "recovery": "a first wish that fails (sold out, closed, too late), and what the user wants then",
}
"""Operator -> what is put in, in words for the author."""


def drawn(mix: Mapping[Operator, float], *seed: object) -> Operator:
    """The operator to ask for: by the weights of the mix, and always the same one for the same seed."""
    names = sorted(mix)
    return Random(f"operator {seed}").choices(names, [mix[name] for name in names])[0]


def asks_for_refusal(share: float, *seed: object) -> bool:
    """Whether a first task is asked to hold a wish that the policy forbids."""
    return Random(f"refusal {seed}").random() < share
