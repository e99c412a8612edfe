"""A domain's functions as tools: what they do is what the checkers can judge."""

import asyncio

from tests.environment.worlds import world
from toolscale.artifacts import GoldenCall
from toolscale.environment import Sandbox
from toolscale.tools.functions import DomainFunctions

SOURCE = '''
def book(db, train_id):
    """Book."""
    if train_id not in db["trains"]:
        raise ValueError(f"there is no train {train_id}")
    key = f"B{len(db['bookings']) + 1}"
    db["bookings"][key] = {"id": key, "train_id": train_id, "paid": False}
    return db["bookings"][key]


def bookings(db):
    """List."""
    return sorted(db["bookings"])
'''


async def test_calls_of_an_episode_act_on_one_database_and_episodes_do_not_share_it():
    with Sandbox(world(SOURCE)) as sandbox:
        one, other = DomainFunctions(sandbox, ()), DomainFunctions(sandbox, ())
        book, bookings = one.tools
        assert (book.kind, book.spec.name) == ("function", "book")
        answers = await asyncio.gather(*[book.call({"train_id": f"T{number}"}) for number in (1, 2, 3)])
        assert [answer.error for answer in answers] == [None] * 3
        assert (await bookings.call({})).content == '["B1", "B2", "B3", "B4"]'
        assert (await other.tools[1].call({})).content == '["B1"]'
        assert len(one.session.replay.operated) == 6
        assert one.session.replay.ok


async def test_an_episode_begins_where_its_task_begins():
    start = [GoldenCall(action_id="start", name="book", arguments={"train_id": "T1"})]
    with Sandbox(world(SOURCE)) as sandbox:
        begun = DomainFunctions(sandbox, start)
        assert (await begun.tools[1].call({})).content == '["B1", "B2"]'
        assert len(begun.session.replay.outcomes) == 1, "what sets the state is no call of the episode"


async def test_what_a_function_refuses_is_an_error_that_the_orchestrator_reads():
    with Sandbox(world(SOURCE)) as sandbox:
        book, _ = DomainFunctions(sandbox, ()).tools
        assert (await book.call({"train_id": "T9"})).error == "there is no train T9"
        assert "unexpected" in (await book.call({"train": "T1"})).error
        deep = 1
        for _ in range(300):
            deep = [deep]
        assert "nest too deep" in (await book.call({"train_id": deep})).error
        assert (await book.call({"train_id": "T1"})).error is None
