"""How held-out tasks are sampled: as the makers say, greedily, or at a temperature; and it is written down."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants
from transformers import GenerationConfig

from trainer.config import Config, Model
from trainer.model.policy import Policy
from trainer.output.export import Provenance, write_model
from trainer.rollout.decoding import GREEDY, Decoding, evaluation_decoding, makers_file

QWEN3 = {"do_sample": True, "temperature": 0.6, "top_p": 0.95, "top_k": 20}


def config(folder: Path, **evaluation: Any) -> Config:
    return Config.of({"model": {"path": str(folder)}, "evaluation": evaluation}, "a test")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (QWEN3, Decoding(0.6, 0.95, 20)),
        ({"do_sample": True, "min_p": 0.1, "top_k": 0}, Decoding(1.0, min_p=0.1)),
        ({"do_sample": True}, Decoding(1.0)),
        ({"do_sample": True, "repetition_penalty": 1.05}, Decoding(1.0, repetition_penalty=1.05)),
        ({"do_sample": False}, GREEDY),
        ({"do_sample": False, "repetition_penalty": 1.1}, Decoding(repetition_penalty=1.1)),
        ({}, GREEDY),
        (None, GREEDY),
    ],
)
def test_makers_are_followed_and_their_silence_is_greedy(
    said: dict[str, Any] | None, meant: Decoding, tmp_path: Path
) -> None:
    if said is not None:
        GenerationConfig(**said).save_pretrained(tmp_path)
    assert evaluation_decoding(config(tmp_path)) == meant


def test_a_user_may_choose_otherwise(tmp_path: Path) -> None:
    GenerationConfig(**QWEN3).save_pretrained(tmp_path)
    assert evaluation_decoding(config(tmp_path, sampling="greedy")) == GREEDY
    assert evaluation_decoding(config(tmp_path, temperature=1.0)) == Decoding(1.0)
    assert evaluation_decoding(config(tmp_path, temperature=0.0)) == GREEDY


def test_it_is_said_in_words_and_in_figures() -> None:
    assert str(GREEDY) == "greedy"
    assert str(Decoding(0.6, 0.95, 20)) == "temperature 0.6, top_p 0.95, top_k 20"
    assert str(Decoding(repetition_penalty=1.1)) == "greedy, repetition_penalty 1.1"
    for decoding in (GREEDY, Decoding(0.6, 0.95, 20), Decoding(1.0, min_p=0.1), Decoding(1.0, repetition_penalty=1.1)):
        assert Decoding.read(decoding.as_figures()) == decoding
    assert Decoding.read({"tasks": 3}) == GREEDY, "what earlier evaluations wrote"


UNSAVEABLE = b'{"temperature": 0.9,   "top_p": 0.6}\n'
"""transformers loads it with a warning, and refuses to write it without `do_sample`."""


def test_what_the_makers_say_goes_into_the_exported_model_byte_for_byte(
    tiny_llama: Path, tokenizer: Any, tmp_path: Path
) -> None:
    began = shutil.copytree(tiny_llama, tmp_path / "began")
    (began / "generation_config.json").write_bytes(UNSAVEABLE)
    settings = config(began)
    policy = Policy.load(settings.model)
    about = Provenance(settings, "v", 1, None, None)
    write_model(tmp_path / "model", dict(policy.weights()), policy.model.config, tokenizer, about)
    assert (tmp_path / "model" / "generation_config.json").read_bytes() == UNSAVEABLE


def test_what_the_makers_say_on_the_hub_is_kept_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "models--makers--model"
    snapshot = kept / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("0" * 40)
    (snapshot / "generation_config.json").write_bytes(UNSAVEABLE)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert makers_file(Model(path="makers/model")) == UNSAVEABLE
    assert makers_file(Model(path="makers/other")) is None
