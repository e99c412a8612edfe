"""How held-out tasks are sampled: as the makers say, greedily, or at a temperature; and it is written down."""

from pathlib import Path
from typing import Any

import pytest
from transformers import GenerationConfig

from trainer.config import Config
from trainer.rollout.decoding import GREEDY, Decoding, evaluation_decoding

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
