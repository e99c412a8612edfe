"""What models and strangers wrote is read on a terminal and in a browser, and never obeyed there."""

import json
import logging
import re
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pipelines.preview import Preview
from pipelines.progress import DomainReport, RunReport
from pipelines.shown import markdown
from tests.environment.worlds import world
from tests.store.calls import call
from toolscale import cli, terminal
from toolscale.artifacts import Domain, Function
from toolscale.console import ReadConsole, console, table
from toolscale.dataset.audit_print import print_report
from toolscale.dataset.markdown import as_markdown
from toolscale.environment import write_environment
from toolscale.errors import UserError
from toolscale.estimate import Estimate
from toolscale.llm.budget import Spent
from toolscale.markdown import cell, inert
from toolscale.printable import printable
from toolscale.store import Store

FORGED = "solved    forged"

HOSTILE = {
    "clears the screen": "\x1b[2J\x1b[31m",
    "a link that is not what it says (OSC 8)": "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
    "writes the clipboard (OSC 52)": "\x1b]52;c;aGk=\x07",
    "sets the title, ended by ST": "\x1b]0;title\x1b\\",
    "rings": "\x07",
    "goes back to the line's beginning": "unsolved\rsolved",
    "goes back by one": "a\x08b",
    "vertical tab and form feed": "a\x0bb\x0cc",
    "escape as one character (C1)": "\x9b2J\x9d0;x\x9c\x85",
    "delete": "a\x7fb",
    "turns the writing's direction": "\u202egnp.exe\u202c \u2066x\u2069 \u061c",
    "cannot be seen": "a\u200bb\u2060c\ufeffd\U000e0041\u180e",
    "other line ends": "a\u2028b\u2029c",
    "a line of its own": f"x\n{FORGED}\ny",
    "rich's markup": "[red]x[/red] [link=http://evil.example]y[/link] [/] :skull:",
}
NASTY = " ".join(HOSTILE.values())

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


def harmless(written: str, *, forgeable: bool = False) -> str:
    """What was written, once it has been seen that it only can be read."""
    assert printable(written) == written, repr(written)
    assert "\r" not in written
    assert forgeable or not any(line.strip().startswith(FORGED) for line in written.splitlines()), written
    return written


Ran = Callable[..., "tuple[int, str, str]"]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Ran:
    """The command line, in this process: exit status and the bytes that went to standard output and error."""
    monkeypatch.chdir(tmp_path)

    def command(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["toolscale", *words])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capfd.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return command


SOURCE = f"""
NASTY = {NASTY!r}
def get(db, id): raise type(NASTY, (Exception,), {{}})(NASTY)
def book(db, id):
    db['bookings'][NASTY] = {{NASTY: NASTY}}
    db['trains'][id][NASTY] = NASTY
    return NASTY
"""
RULES = f"""
def a_rule(before, call, after):
    "Nobody books."
    return {NASTY!r}
"""
TASK = {"id": NASTY, "golden_calls": [{"name": "get", "arguments": {"id": NASTY}}], "communicate_info": [NASTY]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An environment that a stranger wrote, with tasks and trajectories."""
    write_environment(world(SOURCE).model_copy(update={"rules": RULES}), tmp_path / "rail")
    said = {"task_id": NASTY, "calls": [{"name": NASTY, "arguments": {NASTY: NASTY}}], "agent_messages": []}
    other = {"task_id": f"other {NASTY}", "calls": []}
    booked = {"id": "booked", "golden_calls": [{"name": "book", "arguments": {"id": "T2"}}], "communicate_info": []}
    calls = [{"name": "get", "arguments": {"id": NASTY}}, {"name": "book", "arguments": {"id": "T2", NASTY: NASTY}}]
    (tmp_path / "rail" / "tasks.json").write_text(json.dumps([TASK, booked]))
    (tmp_path / "trajectories.jsonl").write_text("\n".join(map(json.dumps, (said, other, {**said, "messages": 3}))))
    (tmp_path / "calls.json").write_text(json.dumps([*calls, {"name": "book", "arguments": {"id": "T2"}}]))
    return tmp_path / "rail"


def files(folder: Path, *names: str) -> list[str]:
    places = {"tasks": folder / "tasks.json", "environment": folder}
    return [
        word
        for name in names
        for word in (f"--{name}", str(places.get(name, next(folder.parent.glob(f"{name}.*"), folder))))
    ]


def test_results_errors_and_changes_of_strangers_functions_are_only_read(run: Ran, folder: Path) -> None:
    status, out, err = run("environment", "run", str(folder), *files(folder, "calls"))
    assert (status, err) == (0, "")
    assert "[link=http://evil.example]y[/link]" in harmless(out)
    assert "\\x1b]52;c;aGk=" in out
    assert ":skull:" in out


def test_an_audit_of_strangers_tasks_is_only_read(run: Ran, folder: Path) -> None:
    for options in ((), ("--markdown",)):
        status, out, _ = run("audit", str(folder), *options)
        assert status == 0
        assert "\\x1b]52;c;aGk=" in harmless(out)


def test_verdicts_and_the_complaint_on_strangers_trajectories_are_only_read(run: Ran, folder: Path) -> None:
    status, out, err = run("check", *files(folder, "environment", "tasks", "trajectories"))
    assert status == 2
    assert "unsolved  \\x1b[2J" in harmless(out)
    assert len(harmless(err).splitlines()) == 1


def test_json_is_one_ascii_line_and_tells_the_text_as_it_was(run: Ran, folder: Path) -> None:
    for words in (
        ["environment", "run", str(folder), *files(folder, "calls")],
        ["audit", str(folder)],
        ["check", *files(folder, "environment", "tasks", "trajectories")],
    ):
        _, out, _ = run(*words, "--json")
        assert re.fullmatch(r"[\x20-\x7e\n]+", out)
        assert NASTY in "".join(_strings([json.loads(line) for line in out.splitlines()]))


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    return [text for part in value for text in _strings(part)] if isinstance(value, list) else [str(value)]


async def test_calls_in_the_ledger_are_only_read(run: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{tmp_path}/calls.db"
    with Store(url) as store:
        answer = {"message": {"role": "assistant", "content": NASTY}, "finish_reason": NASTY}
        named = dict.fromkeys(("task", "stage", "role", "model"), NASTY)
        await store.save(call("good", response=json.dumps(answer), **named))
        await store.save(call("bad", status=NASTY, error=NASTY, response=None, domain=NASTY))
    monkeypatch.setenv("TOOLSCALE_STORE_URL", url)
    assert run("traces")[0] == 0
    for words in ((), ("bad",), ("good",)):
        status, out, err = run("traces", *words)
        assert (status, err) == (0, "")
        # The text of an answer keeps its lines: it stands below a head of its own.
        assert "\\x1b]52;c;aGk=" in harmless(out, forgeable="good" in words)
    for words in (("cost", "--by", "model"), ("cache", "stats")):
        assert "\\x1b]52;c;aGk=" in harmless(run(*words)[1])


def test_a_mistake_or_a_fault_is_told_and_not_obeyed(run: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, err = run("audit", f"/nowhere/{NASTY}")
    assert (status, out) == (2, "")
    assert len(harmless(err).splitlines()) == 1

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError(NASTY)

    monkeypatch.setattr("toolscale.exchange.audit.audit_anything", broken)
    status, out, err = run("audit", "anything")
    assert (status, out) == (1, "")
    assert "RuntimeError: \\x1b[2J" in harmless(err, forgeable=True)


def test_a_log_line_is_told_and_not_obeyed(run: Ran, capfd: pytest.CaptureFixture[str]) -> None:
    terminal.guard_logs()
    assert logging.lastResort is not None
    logging.lastResort.emit(logging.LogRecord("any", logging.WARNING, "", 0, "%s", (NASTY,), None))
    assert "\\x1b]52" in harmless(capfd.readouterr().err)


def test_what_a_run_came_to_and_its_preview_are_only_read(capfd: pytest.CaptureFixture[str]) -> None:
    report = DomainReport(1, 2, 3, 1, 0.5, {"replay": 2}, 1)
    RunReport("data", 1.0, {NASTY: report, "other": report}).print()
    function = Function(name="get", description=NASTY, parameters={"type": "object"}, kind="read", source="")
    nothing = Estimate("shop", [], "")
    preview = Preview(
        Domain(name="shop", description=NASTY), [NASTY], {NASTY: 1}, [function], [], [], report, Spent(0, 0), 1, nothing
    )
    terminal.say_text(preview.as_markdown())
    assert harmless(capfd.readouterr().out).count("\\x1b]52;c;aGk=") >= 4


def test_an_audit_of_rows_is_only_read(capfd: pytest.CaptureFixture[str]) -> None:
    failure = {"task_id": NASTY, "check": NASTY, "reasons": [NASTY]}
    left = {"what": NASTY, "reason": NASTY}
    counted = {NASTY: {"passed": 1, "failed": 1}}
    found = {"rows": 2, "passed": 1, "checks": counted, "failures": [failure], "left_out": [left], "limits": [NASTY]}
    print_report(found)
    terminal.say_text(as_markdown(found, "rows"))
    harmless(capfd.readouterr().out)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_console_obeys_nothing_in_a_text_a_cell_or_a_title(text: str) -> None:
    written = StringIO()
    screen = ReadConsole(file=written, force_terminal=True, width=200)
    made = table(text, text)
    made.title = text
    made.add_row(text, text)
    screen.print(text, Text(text), Text.assemble((text, "bold")), made)
    harmless(_STYLE.sub("", written.getvalue()), forgeable=True)


@given(st.text())
def test_whatever_is_said_stays_one_line_that_is_only_read(text: str) -> None:
    written = StringIO()
    terminal.say(text, to=written)
    assert written.getvalue().count("\n") == 1
    harmless(written.getvalue())


def test_where_there_is_no_terminal_no_line_is_broken(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    console().print("word " * 100)
    assert len(capfd.readouterr().out.splitlines()) == 1


REMOTE = {
    "an image": "![x](http://evil.example/x.png)",
    "an image in a link": "[![x](http://evil.example/x.png)](http://evil.example)",
    "an image by reference": "![x][r]\n\n[r]: http://evil.example/x.png",
    "an image by its name": "![r]\n\n[r]: http://evil.example/x.png",
    "a link": "[click](javascript:alert(1))",
    "a link in angle brackets": "<http://evil.example> <javascript:alert(1)>",
    "an image of HTML": "<img src=http://evil.example/x.png onerror=alert(1)>",
    "a script": "<script>alert(1)</script>",
    "a closing tag": "</td></table><iframe src='//evil.example'>",
    "a comment": "<!-- -->",
    "hidden joints": "!\u200b[x]\u200b(http://evil.example/x.png) ![x]\u2060(http://evil.example/x.png)",
    "over lines": "![x\ny](\nhttp://evil.example/x.png)",
}


@pytest.mark.parametrize("text", REMOTE.values(), ids=REMOTE)
def test_markdown_of_a_model_loads_links_and_embeds_nothing(text: str) -> None:
    from markdown_it import MarkdownIt

    shown = MarkdownIt("commonmark", {"html": True}).render(markdown(text).md_str or "")
    assert not re.search(r"<(img|a|script|iframe|!--|/td)\b", shown), shown
    assert not re.search(r"<(?!/?(p|code|pre|em|strong|ul|li|h\d)\b)", shown), shown


@given(st.text(st.sampled_from("[]()!<>:ax/\\`\n &#;\u200b")))
def test_no_markdown_however_written_becomes_an_image_a_link_or_html(text: str) -> None:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"html": True}).parse(inert(text))
    kinds = {token.type for block in tokens for token in (block, *(block.children or ()))}
    assert not kinds & {"image", "link_open", "html_inline", "html_block"}, inert(text)


def test_a_policy_stays_readable() -> None:
    policy = "# Rules\n\n- At most **3** bags, if `age < 12` or 5<6.\n- See [1] and (b).\n\n| a | b |\n| --- | --- |"
    assert inert(policy) == policy
    assert cell("a | b\nc") == "a \\| b c"


def test_a_users_error_keeps_no_line_end(run: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise UserError(f"first\n{FORGED}")

    monkeypatch.setattr("toolscale.exchange.audit.audit_anything", refused)
    assert run("audit", "x") == (2, "", "toolscale: first solved forged\n")
