"""A gateway that reaches a scripted server over HTTP."""

import contextlib

import pytest

from tests.openai_server import OpenAIServer
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import Store


@pytest.fixture
def gateway_to(tmp_path):
    """`gateway_to(behaviour)` -> (gateway, server): every role is answered by the function `behaviour(request)`."""
    with contextlib.ExitStack() as stack:

        def reach(behaviour):
            server = stack.enter_context(OpenAIServer(behaviour))
            store = stack.enter_context(Store(f"sqlite:///{tmp_path}/store.db"))
            settings = Settings(
                default_model="openai/teacher",
                default_api_base=server.url,
                prices={"openai/teacher": {"input": 1, "output": 2}},
                retries=0,
                data_root=str(tmp_path),
            )
            return Gateway(settings, store), server

        yield reach
