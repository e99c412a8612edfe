"""What a terminal shows of a run says how it is, fits the terminal, and obeys nobody else."""

import asyncio
import io
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pipelines.board import Board, Lines, shown
from pipelines.progress import Progress
from pipelines.telling import Figures, Telling, figures
from pipelines.wording import Pace, about, as_line, dollars, short
from toolscale.llm.sight import Queue, Sight

BUSY = Sight(
    in_flight=12,
    waiting=1_402,
    done=123_456,
    cached=98_765,
    failed=321,
    prompt_tokens=1_234_567_890,
    completion_tokens=45_678_901,
    cached_tokens=1_034_567_890,
    dollars=1234.5678,
    unpriced=17,
    queues=(Queue("https://a-very-long-host-name.of-some-cloud.example.com:8443/v1", 12, 1_402, 12, True, 42.0),),
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def rendered(board: Board, width: int, height: int = 24) -> list[str]:
    console = Console(record=True, width=width, height=height, file=io.StringIO(), force_terminal=True)
    console.print(board)
    return console.export_text().splitlines()


def at_work(
    board: Board | Lines, clock: Clock, domain: str = "railway", look: Callable[[], Sight] | None = None
) -> None:
    board.hear(Progress(domain, "verified_tasks", "started"))
    board.hear(Progress(domain, "verified_tasks", "working", look=look))
    for done in range(11):
        clock.now += 2
        board.hear(Progress(domain, "verified_tasks", "working", done, 50, {"kept": done // 2, "attempts": done * 8}))


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    clock = Clock()
    board = Board(clock)
    for number in range(3):
        at_work(board, clock, f"a_domain_with_a_long_name_{number}_of_emergency_medicine", lambda: BUSY)
    lines = rendered(board, width)
    assert max(map(len, lines)) <= width
    assert len(lines) <= 24


def test_at_80_columns_every_figure_is_there_to_read() -> None:
    clock = Clock()
    board = Board(clock)
    at_work(board, clock, look=lambda: BUSY)
    shown = "\n".join(rendered(board, 80))
    for figure in (
        *("railway", "verified_tasks", "10 of 50", "80", "22 s", "about 80 s"),
        *("12 in flight", "1,402 waiting", "123,456 done", "98,765 cached", "321 failed"),
        *("1.2G in", "45.7M out", "$1,234.57 and 17 calls without a price"),
        "waiting for the rate limit at a-very-long-host-name.of-so…: 12 at once",
    ):
        assert figure in shown, f"{figure} is missing in\n{shown}"


def test_calls_of_stages_that_ended_stay_in_the_sum_as_they_were() -> None:
    board, counts = Board(Clock()), {"done": 5}
    board.hear(Progress("railway", "tasks", "working", look=lambda: Sight(done=counts["done"])))
    board.hear(Progress("railway", "tasks", "finished"))
    counts["done"] = 1_000
    board.hear(Progress("railway", "evolved_tasks", "working", look=lambda: Sight(done=2, in_flight=1)))
    assert any("1 in flight, 7 done" in line for line in rendered(board, 80))


def test_of_more_domains_than_the_terminal_is_high_the_latest_are_shown() -> None:
    board = Board(Clock())
    for number in range(40):
        board.hear(Progress(f"domain_{number}", "subjects", "started"))
    lines = rendered(board, 80, height=20)
    assert len(lines) < 20
    assert any("domain_39" in line for line in lines)
    assert any(line.startswith("calls") for line in lines)


def test_a_domains_name_is_not_read_as_markup() -> None:
    board = Board(Clock())
    board.hear(Progress("[red]x[/red]", "subjects", "started"))
    assert any("[red]x[/red]" in line for line in rendered(board, 80))


def test_no_time_is_left_to_say_where_nothing_is_known() -> None:
    clock = Clock()
    board = Board(clock)
    board.hear(Progress("railway", "subjects", "started"))
    clock.now += 60
    board.hear(Progress("railway", "subjects", "working", look=lambda: Sight(in_flight=1)))
    assert not any("about" in line for line in rendered(board, 80))


def test_the_last_error_of_an_endpoint_stands_in_line_board_and_event() -> None:
    queue = Queue("http://gpu1:8000/v1", 1, 0, 16, False, 0.0, "HTTP 503: \x1b[31moverloaded\nagain", 41.0)
    working = Progress("railway", "tasks", "working", look=lambda: Sight(in_flight=1, failed=2, queues=(queue,)))
    said = "last error at gpu1:8000, 40 s ago: HTTP 503: \\x1b[31moverloaded again"
    assert as_line(working).endswith(said)
    assert figures(working)["last_error"] == said
    board = Board(Clock())
    board.hear(working)
    assert any(said in line for line in rendered(board, 120))
    fine = replace(working, look=lambda: Sight(in_flight=1, queues=(queue._replace(error=""),)))
    assert "error" not in as_line(fine)
    assert "last_error" not in figures(fine)


def test_lines_come_at_most_every_ten_seconds_and_when_a_stage_ends() -> None:
    clock, output = Clock(), io.StringIO()
    lines = Lines(output, clock)
    at_work(lines, clock, look=lambda: BUSY)
    lines.hear(Progress("railway", "verified_tasks", "finished"))
    first, second, last = output.getvalue().splitlines()
    assert "verified_tasks, 4 of 50, 2 kept, 32 attempts, about 2 min left; calls: 12 in flight" in first
    assert "waiting for the rate limit at a-very-long-host-name" in first
    assert "9 of 50" in second
    assert "10 of 50" in last
    assert "left" not in last


def test_progress_shows_also_while_dagster_leads_standard_error_into_a_file(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with shown() as hear, (tmp_path / "captured.err").open("w") as captured:
        real = os.dup(sys.stderr.fileno())
        os.dup2(captured.fileno(), sys.stderr.fileno())
        hear(Progress("railway", "subjects", "finished"))
        os.dup2(real, sys.stderr.fileno())
        os.close(real)
    assert "railway: subjects" in capfd.readouterr().err
    assert not (tmp_path / "captured.err").read_text()


def test_a_pace_follows_what_happens_now() -> None:
    pace = Pace(60)
    for second in range(10):
        pace.note(second, second * 100)
    assert pace.a_second(9) == pytest.approx(100)
    for second in range(10, 200):
        pace.note(second, 900 + second)
    assert pace.a_second(199) == pytest.approx(1, rel=0.01)
    assert pace.left(199, 1_199) == pytest.approx(100, rel=0.02)


def test_a_count_that_stands_still_or_starts_anew_has_no_end_in_sight() -> None:
    still, anew = Pace(), Pace()
    for second, count in enumerate((40, 40, 40, 40, 40)):
        still.note(second, 40)
        anew.note(second, count - second * 10)
    assert still.left(10, 50) is None
    assert anew.left(10, 50) is None


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.2, "1 s"), (7, "7 s"), (44, "40 s"), (100, "2 min"), (5_000, "83 min"), (9_000, "2.5 h")]
)
def test_a_time_is_said_no_finer_than_it_is_known(seconds: float, said: str) -> None:
    assert about(seconds) == said


def test_counts_and_prices_are_short() -> None:
    assert [short(count) for count in (0, 9_999, 10_000, 999_949, 999_950, 2_000_000_000)] == [
        *("0", "9,999", "10.0k", "999.9k", "1.0M", "2.0G")
    ]
    assert [dollars(Sight(dollars=paid)) for paid in (0.0, 0.0123, 12.345)] == ["$0.0000", "$0.0123", "$12.35"]
    assert dollars(Sight(unpriced=3)) == "price not known"


async def test_a_stage_that_takes_long_shows_in_dagsters_log_and_to_the_listener() -> None:
    heard: list[Progress] = []
    logged: list[str] = []
    observed: list[Figures] = []
    telling = Telling(Progress("railway", "tasks", "started"), heard.append, logged.append, observed.append)
    async with telling.signs_of_life(lambda: Sight(in_flight=3), seconds=0.01):
        telling.tell(2, 9, {"kept": 1})
        async with asyncio.timeout(30):
            while len(logged) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    said = len(logged)
    await asyncio.sleep(0.05)
    assert len(logged) == said, "it goes on after the stage has ended"
    assert logged[0] == "tasks, 2 of 9, 1 kept; calls: 3 in flight, 0 done, 0 cached, 0 failed"
    assert heard[0].look is not None
    assert (heard[-1].state, heard[-1].done, heard[-1].total) == ("working", 2, 9)
    assert (
        observed[0].items() >= {"done": 2, "total": 9, "kept": 1, "rejected": 1, "in_flight": 3, "dollars": 0.0}.items()
    )


def test_figures_name_no_dollars_where_a_price_is_not_known_and_no_time_where_none_is() -> None:
    working = Progress("railway", "tasks", "working", look=lambda: Sight(done=4, dollars=0.5, unpriced=1))
    assert not {"dollars", "seconds_left", "total", "rejected"} & set(figures(working))
    assert figures(working, 61.7)["seconds_left"] == 62


def test_of_domains_side_by_side_each_is_under_way_until_it_has_ended_and_says_how() -> None:
    clock = Clock()
    board = Board(clock)
    for domain in ("bakery", "casino", "dairy"):
        board.hear(Progress(domain, "tasks", "working", 1, 9))
        clock.now += 10
    board.hear(Progress("bakery", "tasks", "finished"))
    board.hear(Progress("casino", "failed", "finished"))
    clock.now += 5
    ended, *under_way = (" ".join(line.split()) for line in rendered(board, 80)[1:4])
    assert ended == "casino failed 20 s"
    assert under_way == ["bakery tasks 1 of 9 35 s", "dairy tasks 1 of 9 15 s"]
    board.hear(Progress("bakery", "verified_tasks", "finished"))
    assert " ".join(rendered(board, 80)[1].split()).startswith("bakery done")
