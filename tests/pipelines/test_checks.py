"""Each asset check holds of sound data, and says what is wrong with broken data."""

import shutil
from pathlib import Path

import pytest

from pipelines.checks import dataset_faults, entry_faults, function_faults, rule_faults, task_faults
from pipelines.factory import Factory
from pipelines.storage import environment_folder, rows_file, write_rows
from tests.synthesis.shop import READ, SCHEMA, WRITE, entries, environment
from toolscale.artifacts import Attempt, GateOutcome, GoldenCall, Instructions, Rule, Task, UserScenario, Verdict
from toolscale.dataset import About, write_dataset
from toolscale.environment import write_environment
from toolscale.settings import Settings

SOLVED = Attempt(index=0, verdict=Verdict(execution=True, fidelity=True, completeness=True))
TASK = Task(
    id="shop-1",
    domain="shop",
    user_scenario=UserScenario(instructions=Instructions(domain="shop", reason_for_call="Cancel my order O-1.")),
    golden_calls=[GoldenCall(name="cancel_order", arguments={"order_id": "O-1"})],
    attempts=[SOLVED],
    gates=[GateOutcome(gate="pass_at_8", passed=True)],
    pass_rate=1.0,
)


def named(function, name):
    return function.model_copy(update={"name": name, "source": function.source.replace(function.name, name)})


def solved_by(*calls):
    golden = [GoldenCall(name=name, arguments={"order_id": order}) for name, order in calls]
    return TASK.model_copy(update={"golden_calls": golden})


FUNCTIONS = [READ, WRITE, named(READ, "see_order"), named(WRITE, "drop_order"), named(WRITE, "void_order")]


def altered(entry, **fields):
    return entry.model_copy(update={"record": entry.record | fields})


def test_sound_entries_have_no_fault():
    assert list(entry_faults(entries(), SCHEMA)) == []


@pytest.mark.parametrize(
    ("break_them", "fault"),
    [
        (lambda each: [], "no entries"),
        (lambda each: [*each, each[0]], "2 entries have this key"),
        (lambda each: [*each[:-1], altered(each[-1], customer_id="C-99")], "is not in customers"),
        (lambda each: [*each[:-1], altered(each[-1], amount=-1)], "less than the minimum"),
        (lambda each: [*each[:-1], altered(each[-1], order_id="O-77")], "not its key"),
        (lambda each: [*each, each[0].model_copy(update={"table": "ghosts"})], "no table `ghosts`"),
        (lambda each: each[1:], "is not in customers"),
    ],
)
def test_broken_entries_are_found(break_them, fault):
    assert fault in "\n".join(entry_faults(break_them(entries()), SCHEMA))


def test_sound_functions_have_no_fault():
    assert list(function_faults(FUNCTIONS)) == []


@pytest.mark.parametrize(
    ("functions", "fault"),
    [
        (FUNCTIONS[:3], "at least 4"),
        ([each for each in FUNCTIONS if each.kind == "read"], "no function writes"),
        ([*FUNCTIONS[:-1], READ.model_copy(update={"source": "import socket\n" + READ.source})], "`socket`"),
        ([*FUNCTIONS[:-1], READ.model_copy(update={"name": "find_order"})], "does not define `find_order`"),
        ([*FUNCTIONS, READ.model_copy(update={"source": READ.source.replace("no order", "none")})], "in another way"),
    ],
)
def test_broken_functions_are_found(functions, fault):
    assert fault in "\n".join(function_faults(functions))


ONCE = Rule(
    name="once",
    sentence="Nobody asks twice.",
    by="program",
    source="""
def once(before, call, after, earlier):
    '''Nobody asks twice.'''
    return "again" if call in earlier else None
""",
)
KIND = Rule(name="not_checkable_1", sentence="Be kind.", by="judge")


def test_sound_rules_have_no_fault():
    for rules in ([ONCE, KIND], [ONCE], [KIND]):
        assert list(rule_faults(rules)) == []


@pytest.mark.parametrize(
    ("rules", "fault"),
    [
        ([], "neither a program nor a judge"),
        ([ONCE.model_copy(update={"source": "import socket\n" + ONCE.source})], "`socket`"),
        ([ONCE.model_copy(update={"name": "twice"})], "not those of the rows"),
        ([ONCE, ONCE.model_copy(update={"source": ONCE.source.replace("again", "thrice")})], "in another way"),
    ],
)
def test_broken_rules_are_found(rules, fault):
    assert fault in "\n".join(rule_faults(rules))


def test_a_sound_task_has_no_fault():
    assert list(task_faults([TASK], environment())) == []


@pytest.mark.parametrize(
    ("task", "fault"),
    [
        (solved_by(("cancel_order", "O-4")), "golden calls do not solve it"),
        (solved_by(), "no call and says no word"),
        (solved_by(("get_order", "O-1")), "only read"),
    ],
)
def test_broken_tasks_are_found(task, fault):
    assert fault in "\n".join(task_faults([task], environment()))


def test_a_domain_without_tasks_is_a_fault():
    assert list(task_faults([], environment())) == ["no task was kept"]


@pytest.fixture
def released(tmp_path):
    """A factory whose dataset holds the one task that was kept."""
    factory = Factory.of(Settings(data_root=str(tmp_path)))
    generate(factory, [TASK])
    write(Path(factory.dataset), [TASK])
    return factory


def generate(factory, tasks, world=None):
    root = factory.data_root
    folder = environment_folder(root, "shop").path
    shutil.rmtree(folder, ignore_errors=True)
    write_environment(world or environment(), folder)
    write_rows(rows_file(root, "verified_tasks", "shop"), Task, tasks)


def write(folder, tasks):
    shutil.rmtree(folder, ignore_errors=True)
    write_dataset(
        folder, tasks=tasks, environments=[environment()], trajectories=[], rejects=[], rejected=[], about=About()
    )


def faults(factory):
    return "\n".join(dataset_faults(factory, ["shop"]))


def test_a_sound_dataset_has_no_fault(released):
    assert faults(released) == ""


def test_a_dataset_that_lacks_a_kept_task_is_found(released):
    generate(released, [TASK, TASK.model_copy(update={"id": "shop-2"})])
    assert "1 kept tasks of shop are missing" in faults(released)


def test_a_dataset_that_lacks_a_domain_or_has_a_row_too_many_is_found(released):
    other = TASK.model_copy(update={"id": "zoo-1", "domain": "zoo"})
    write_rows(rows_file(released.data_root, "verified_tasks", "zoo"), Task, [other])
    assert "1 kept tasks of zoo are missing" in "\n".join(dataset_faults(released, ["shop", "zoo"]))
    write(Path(released.dataset), [TASK, TASK.model_copy(update={"id": "shop-2"})])
    assert "1 rows of shop are not of a kept task" in faults(released)


def test_a_dataset_whose_task_fails_the_audit_is_found(released):
    idle = solved_by(("get_order", "O-1"))
    generate(released, [idle])
    write(Path(released.dataset), [idle])
    assert "fails acts" in faults(released)


def test_a_task_that_no_attempt_solved_is_found(released):
    untried = TASK.model_copy(update={"attempts": []})
    generate(released, [untried])
    write(Path(released.dataset), [untried])
    assert "no attempt" in faults(released)


def test_a_task_or_an_environment_other_than_what_passed_is_found(released):
    generate(released, [TASK.model_copy(update={"communicate_info": ["7"]})])
    assert "shop-1 is not the task" in faults(released)
    generate(released, [TASK], environment().model_copy(update={"policy": "Do as you like."}))
    assert "shop: the environment" in faults(released)
