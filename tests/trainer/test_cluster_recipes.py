"""The recipes of deploy/training are what torchrun and vLLM understand, and their volume holds what is planned."""

from pathlib import Path

import pytest
import yaml
from torch.distributed.run import get_args_parser

from tests.cluster_recipes import RECIPES, Training, trainings
from trainer.config import Config
from trainer.memory.storage import GIB, storage
from trainer.on_ray import handed_on, torchrun

EVERY = tuple(trainings())


@pytest.mark.parametrize("training", [each for each in EVERY if each.torchrun], ids=str)
def test_torchrun_starts_the_trainer_on_as_many_gpus_as_were_asked_for(training: Training) -> None:
    words = [*training.torchrun, "-m", "trainer", *training.trainer]
    told = get_args_parser().parse_args([word.replace("$(JOB_COMPLETION_INDEX)", "1") for word in words])
    assert (int(told.nnodes.split(":")[-1]), int(told.nproc_per_node)) == (training.nodes, training.gpus)
    assert told.module
    assert told.training_script == "trainer"
    assert tuple(told.training_script_args) == training.trainer


@pytest.mark.parametrize("training", [each for each in EVERY if each.on_ray], ids=str)
def test_what_ray_starts_on_each_machine_meets_on_the_first(training: Training) -> None:
    for node in range(training.nodes):
        words = torchrun(
            training.trainer, node=node, nodes=training.nodes, gpus=training.gpus, address="10.0.0.1", port=2900
        )
        told = get_args_parser().parse_args(words[3:])
        assert (int(told.nnodes), int(told.nproc_per_node)) == (training.nodes, training.gpus)
        assert (told.node_rank, told.master_addr, told.master_port) == (node, "10.0.0.1", 2900)
        assert (told.training_script, tuple(told.training_script_args)) == ("trainer", training.trainer)


def test_every_machine_of_a_ray_cluster_hears_of_caches_stores_and_models_and_keeps_its_own_paths() -> None:
    every = {"HF_HOME": "/shared", "TOOLSCALE_STORE_URL": "postgresql://...", "OPENAI_API_KEY": "k"}
    every |= {"HOSTED_VLLM_API_BASE": "http://10.0.0.7:8000/v1", "OPENAI_BASE_URL": "http://10.0.0.7:8000/v1"}
    one = {"PATH": "/bin", "TOOLSCALE_TRAINER_ADDRESS": "10.0.0.1", "VLLM_HOST_IP": "10.0.0.1"}
    assert handed_on(every | one) == every


def test_the_volume_holds_the_papers_training_and_its_model() -> None:
    claim = yaml.safe_load((RECIPES / "kubernetes" / "volume.yaml").read_text())
    asked = int(claim["spec"]["resources"]["requests"]["storage"].removesuffix("Gi"))
    planned = storage(Config.read(Path("qwen3-8b-16xh100")))
    assert asked * GIB > planned.disk + planned.models


@pytest.mark.vllm
def test_vllms_own_parser_takes_what_a_server_is_started_with() -> None:
    from vllm.entrypoints.cli.serve import ServeSubcommand
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    (training,) = (each for each in EVERY if each.servers)
    parser = FlexibleArgumentParser()
    ServeSubcommand().subparser_init(parser.add_subparsers())
    for served in training.servers:
        told = parser.parse_args(list(served))
        assert told.worker_extension_cls == "trainer.rollout.shared_memory.Worker"
        assert told.weight_transfer_config.backend == "nccl"
