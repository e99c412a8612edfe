"""Tasks and environments of every shape, for the property tests of rows."""

from datetime import datetime

from hypothesis import strategies as st

from toolscale.artifacts import (
    GATES,
    OPERATORS,
    Attempt,
    EnvironmentSpec,
    FunctionSpec,
    GateOutcome,
    GoldenCall,
    Instructions,
    Lineage,
    StatedLimit,
    Task,
    UserScenario,
    Verdict,
)
from toolscale.checkers.said import FACT_KINDS

WORDS = (
    st.sampled_from(["", "None", "null", "\x00", "é\u0301", "👩‍🚀", "\ufeff", "a\r\nb", '"', "\\u0041", "\u2028"])
    | st.text()
)
"""Any text that has an encoding; hypothesis draws no lone surrogates unless it is asked to."""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(WORDS, VALUES, max_size=3)
TEXTS = st.lists(WORDS, max_size=3)
COUNTS = st.integers(min_value=0, max_value=1000)

SCENARIOS = st.builds(
    UserScenario,
    persona=WORDS,
    instructions=st.builds(
        Instructions,
        domain=WORDS,
        reason_for_call=st.text(min_size=1),
        known_info=WORDS,
        unknown_info=WORDS,
        task_instructions=WORDS,
    ),
)
VERDICTS = st.builds(
    Verdict, execution=st.booleans(), fidelity=st.booleans(), completeness=st.booleans(), reasons=TEXTS
)
TASKS = st.builds(
    Task,
    id=WORDS,
    domain=WORDS,
    intent=WORDS,
    user_scenario=st.none() | SCENARIOS,
    golden_calls=st.lists(st.builds(GoldenCall, action_id=WORDS, name=WORDS, arguments=OBJECTS), max_size=3),
    communicate_info=TEXTS,
    fact_kinds=st.dictionaries(WORDS, st.sampled_from(FACT_KINDS)),
    asked=st.dictionaries(WORDS, WORDS, max_size=2),
    limits=st.lists(
        st.builds(
            StatedLimit,
            says=st.text(min_size=1),
            call=COUNTS,
            field=st.text(min_size=1),
            at_most=st.none() | st.floats(allow_nan=False, allow_infinity=False),
        ),
        max_size=2,
    ),
    nl_assertions=TEXTS,
    lineage=st.builds(
        Lineage,
        parent=st.none() | WORDS,
        depth=COUNTS,
        operator=st.none() | st.sampled_from(OPERATORS),
        added=WORDS,
        pruned=TEXTS,
    ),
    gates=st.lists(
        st.builds(GateOutcome, gate=st.sampled_from(GATES), passed=st.booleans(), reasons=TEXTS), max_size=3
    ),
    attempts=st.lists(
        st.builds(Attempt, index=COUNTS, verdict=VERDICTS, user_fault=st.booleans(), turns=COUNTS, termination=WORDS),
        max_size=3,
    ),
    pass_rate=st.none() | st.floats(0, 1),
)
TASKS |= TASKS.map(lambda task: task.model_copy(update={"golden_calls": [], "database_judged": False}))

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
ENVIRONMENTS = st.builds(
    EnvironmentSpec,
    domain=NAMES,
    now=st.datetimes(min_value=datetime(1970, 1, 1)),
    seed=st.integers(min_value=0, max_value=2**63 - 1),
    policy=WORDS,
    functions=st.lists(
        st.builds(
            FunctionSpec,
            name=NAMES,
            description=st.text(min_size=1),
            parameters=OBJECTS,
            kind=st.sampled_from(["read", "write"]),
        ),
        max_size=3,
    ),
    source=WORDS,
    database=OBJECTS,
    json_schema=st.none() | OBJECTS,
)
