"""A session without end and a function that loops get one clear error, and nobody else notices."""

import json
import time

import pytest

from tests.exchange.world import FINE, WORLD
from tests.serving.test_sessions import SAID, play_golden
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks

pytestmark = pytest.mark.slow

LOOPING = WORLD.model_copy(
    update={
        "source": WORLD.source + "\n\ndef linger(db):\n    while True:\n        pass\n",
        "functions": [
            *WORLD.functions,
            WORLD.functions[0].model_copy(
                update={
                    "name": "linger",
                    "description": "Never ends.",
                    "parameters": {"type": "object", "properties": {}},
                }
            ),
        ],
    }
)


def test_ten_thousand_calls_end_in_one_clear_error_and_the_neighbour_still_solves_its_task():
    with Sessions(ServedTasks([("train", FINE, WORLD)]), most=2, idle_seconds=900) as sessions:
        busy, neighbour = (sessions.open(FINE.id).play for _ in range(2))
        answers = [busy.call("get_room", {"room_id": "R-1"}) for _ in range(10_000)]
        refused = {answer for answer, ok in answers if not ok}
        assert len(refused) == 1
        assert "error" in json.loads(refused.pop())
        assert busy.calls_made < 1000, "what is refused is not kept"
        play_golden(neighbour)
        assert neighbour.finish(SAID).reward == 1


def test_a_session_that_loops_ends_alone():
    with Sessions(ServedTasks([("train", FINE, LOOPING)]), most=2, idle_seconds=900) as sessions:
        looping, neighbour = (sessions.open(FINE.id).play for _ in range(2))
        began = time.monotonic()
        answer, ok = looping.call("linger", {})
        assert not ok
        assert "error" in json.loads(answer)
        assert time.monotonic() - began < 60
        play_golden(neighbour)
        assert neighbour.finish(SAID).reward == 1
