"""The page shows what the files of rollouts hold, in the words of nobody but the page itself."""

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("torch")

from toolscale.errors import UserError
from trainer.config import Config
from trainer.distributed import Processes
from trainer.output.folder import TrainingFolder
from trainer.record.files import RolloutFiles
from trainer.record.pieces import Pieces
from trainer.recorder import Recorder
from trainer.report import blocks, making
from trainer.report.making import make_report, steps_of
from trainer.report.page import spread_out

from .test_record import HOSTILE, written

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SETTINGS = {"model": {"path": "tiny </title><script>", "dtype": "float32"}, "steps": 5}


@pytest.fixture
def training(exercises, tokenizer, tmp_path):
    """A training that was hostile in each of its three steps, with a line of metrics for each."""
    folder = tmp_path / "a <b> run"
    folder.mkdir()
    Config.of(SETTINGS, "test").write(folder / "config.yaml")
    lines = []
    for step in (1, 2, 3):
        RolloutFiles(folder / "rollouts").write(step, [written(exercises[step], tokenizer, step)])
        figures = {"reward_mean": 0.5, "solved": step / 4, "rollouts": 2, "sampled_tokens": 9.0}
        lines.append({"kind": "train", "step": step, "seconds": {"step": 2.0, "rollouts": 1.0}, **figures})
    lines.append({"kind": "evaluation", "step": 3, "seconds": {}, "pass_rate": 0.5, "low": 0.2, "high": 0.8})
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def packed_in(page, name):
    (text,) = re.findall(f'<script type="text/plain" id="{name}">([^<]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_a_group_on_the_page_is_what_its_file_holds(training):
    page = make_report(training).read_text(encoding="utf-8")
    rows = RolloutFiles(training / "rollouts").read(2)
    group = packed_in(page, "group-2-0")
    assert [message["role"] for message in group["opening"]] == ["system", "user"]
    for row, shown in zip(rows, group["rollouts"], strict=True):
        assert shown["reward"] == row["reward"]
        assert shown["parts"] == row["reward_parts"]
        assert shown["shares"] == row["preference_parts"]
        assert sum(shown["runs"]) == len(shown["tokens"]) == len(row["tokens"]) - row["prompt_tokens"]
        assert [each / 1000 for each in shown["engine"]] == [
            each for each in row["engine_logprobs"] if each is not None
        ]
        assert "".join(group["words"][token] for token in shown["tokens"]).startswith("</script><script>")
        assert len(shown["messages"]) == 2
    (first, *_) = packed_in(page, "index")["steps"]
    assert [rollout["solved"] for rollout in first["groups"][0]["rollouts"]] == [True, False]


def test_what_a_model_wrote_is_no_part_of_the_pages_html(training):
    page = make_report(training).read_text(encoding="utf-8")
    assert HOSTILE not in page
    assert "document.title='broken'" not in page
    assert "tiny </title>" not in page
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    for attributes, content in re.findall(r"<script( [^>]*)>(.*?)</script>", page, flags=re.DOTALL):
        assert attributes.startswith(' type="text/plain" id="')
        assert re.fullmatch(r"[A-Za-z0-9+/=]+", content)
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert f"script-src 'sha256-{allowed}'" in policy
    assert "default-src 'none'" in policy
    assert not re.findall(r"(?:src|href)=\"(?!#)", page)


@pytest.mark.skipif(CHROMIUM is None, reason="needs a browser")
@pytest.mark.parametrize("place", ["", "#step=2", "#open=2.0.1"])
def test_a_browser_shows_a_hostile_rollout_as_words(place, training, tmp_path):
    page = make_report(training)
    browser = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}"]
    ended = subprocess.run(
        [*browser, "--virtual-time-budget=10000", "--dump-dom", f"{page.as_uri()}{place}"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "/a &lt;b&gt; run, step 3</title>" in ended.stdout, ended.stderr
    assert "<img" not in ended.stdout
    if place == "#open=2.0.1":
        assert "&lt;img src=x onerror=" in ended.stdout
        assert "\\u202e\\x1b[2J\\x00" in ended.stdout
        assert "Breaks the format" in ended.stdout
    else:
        rows = re.findall(r"<tr class=\"[^\"]*\" data-place", ended.stdout)
        assert len(rows) == (2 if place else 6)


def test_the_curves_are_there_and_their_dots_lead_to_steps(training):
    page = make_report(training).read_text(encoding="utf-8")
    assert "Rollouts that solve their task" in page
    assert "Mean reward" in page
    assert "Entropy" not in page
    assert {"#step=1", "#step=2", "#step=3"} <= set(re.findall(r'xlink:href="(#step=\d+)"', page))


def test_the_same_training_makes_the_same_page(training):
    assert make_report(training).read_bytes() == make_report(training).read_bytes()


def test_a_training_without_rollouts_or_steps_has_a_page(tmp_path):
    Config.of(SETTINGS, "test").write(tmp_path / "config.yaml")
    page = make_report(tmp_path).read_text(encoding="utf-8")
    assert "No step has been made yet" in page
    assert "No rollouts are written down" in page


def test_the_page_says_what_was_rewarded_and_how_far_the_training_goes(tmp_path):
    settings = {"model": {"path": "m"}, "rewarding": {"parts": {"outcome": 1.0, "matched_calls": 0.5}}, "epochs": 15}
    Config.of(settings, "a test").write(tmp_path / "config.yaml")
    page = make_report(tmp_path).read_text()
    assert "step 0, 15 epochs" in page
    assert "reward of outcome and matched_calls" in page


def test_steps_can_be_asked_for(training):
    page = make_report(training, "2-3").read_text(encoding="utf-8")
    assert [each["step"] for each in packed_in(page, "index")["steps"]] == [2, 3]
    assert "Of 3 steps with rollouts 2 are on this page" in page
    with pytest.raises(UserError, match="no rollouts of step 4: there are 1 to 3"):
        make_report(training, "3-5")


@pytest.mark.parametrize("text", ["x", "3-", "-3", "5-2", "1-2-3"])
def test_what_names_no_steps_is_refused(text):
    with pytest.raises(UserError, match="--steps"):
        steps_of(text)


def test_a_folder_without_a_training_is_refused(tmp_path):
    with pytest.raises(UserError, match="holds no training"):
        make_report(tmp_path)


def test_what_is_too_long_for_a_step_is_listed_and_left_to_the_file(exercises, tokenizer, monkeypatch, training):
    monkeypatch.setattr(blocks, "STEP_BYTES", 10)
    row = RolloutFiles(training / "rollouts").read(1)
    both = blocks.step_blocks(1, [*row, *({**each, "group": 1} for each in row)])
    assert [group["group"] for group in both.groups] == [0, 1]
    assert list(both.blocks) == [0]


def test_long_texts_and_many_tokens_are_cut_and_say_so(training, monkeypatch):
    monkeypatch.setattr(blocks, "MOST_TOKENS", 5)
    (row, _) = RolloutFiles(training / "rollouts").read(1)
    row["messages"][-1]["content"] = "a" * 30_000
    group = blocks.step_blocks(1, [row]).blocks[0]
    (shown,) = json.loads(gzip.decompress(base64.b64decode(group)))["rollouts"]
    assert len(shown["tokens"]) == len(shown["engine"]) == 5
    assert shown["more_tokens"] == len(row["tokens"]) - row["prompt_tokens"] - 5
    assert shown["messages"][-1]["content"].endswith("[10,000 more characters, in the Parquet file]")


def test_steps_are_spread_over_the_training_where_not_all_fit():
    sizes = dict.fromkeys(range(1, 101), 10)
    assert spread_out(sizes, room=1000) == list(range(1, 101))
    some = spread_out(sizes, room=200)
    assert some == [1, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 100]
    assert spread_out(sizes, room=0) == [1, 100]
    assert spread_out({}, room=0) == []
    assert spread_out({7: 10}, room=0) == [7]


def test_a_page_that_is_made_anew_packs_only_what_is_new(training, monkeypatch):
    packed = []
    whole = making.step_blocks
    monkeypatch.setattr(making, "step_blocks", lambda step, rows: packed.append(step) or whole(step, rows))
    report = making.Report(training, Config.of(SETTINGS, "test"))
    first = report.write().read_bytes()
    assert report.write().read_bytes() == first
    assert packed == [1, 2, 3]


def test_two_that_write_the_page_at_one_time_do_not_trip_over_each_other(training, monkeypatch):
    alone = make_report(training).read_bytes()
    replace = Path.replace

    def second_comes_first(self, target):
        monkeypatch.undo()
        make_report(training)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", second_comes_first)
    assert make_report(training).read_bytes() == alone
    assert not list(training.glob(".report*"))


@pytest.mark.parametrize("when", ["before it is looked at", "before it is read"])
def test_a_step_whose_file_the_training_removes_meanwhile_is_left_out(when, training, monkeypatch):
    files, gone = RolloutFiles(training / "rollouts"), []
    place = "at" if when == "before it is looked at" else "read"
    whole = getattr(RolloutFiles, place)

    def after_it_went(self, step, *more):
        if not gone:
            gone.append(step)
            (training / "rollouts" / f"step-{step:08d}.parquet").unlink()
        return whole(self, step, *more)

    monkeypatch.setattr(RolloutFiles, place, after_it_went)
    page = make_report(training).read_text(encoding="utf-8")
    assert [each["step"] for each in packed_in(page, "index")["steps"]] == files.steps() == [2, 3]


def test_a_report_that_fails_does_not_end_a_training(training, tokenizer, caplog):
    config = Config.of(SETTINGS | {"logging": {"report_every": 1}}, "test")
    recorder = Recorder(TrainingFolder(training), config, Pieces(tokenizer), Processes(), 3)
    (training / "rollouts" / "step-00000002.parquet").write_bytes(b"broken")
    recorder.report(3)
    assert "step-00000002.parquet holds no rollouts" in caplog.text
    assert not (training / "report.html").exists()
