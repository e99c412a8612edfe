"""A run whose models are a scripted server, reached over HTTP."""

import contextlib

import pytest

from tests.openai_server import OpenAIServer
from tests.synthesis import shop
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.run import DomainRun


@pytest.fixture
def run_on(tmp_path):
    """`run_on(behaviour)` -> (run of the shop, server): every role is answered by the function `behaviour(request)`.

    What else is named are settings, and fields of the run.
    """
    with contextlib.ExitStack() as stack:

        def run_on(behaviour, **chosen):
            server = stack.enter_context(OpenAIServer(behaviour))
            store = stack.enter_context(Store(f"sqlite:///{tmp_path}/store.db"))
            of_run = {name: chosen.pop(name) for name in chosen.keys() & DomainRun.__dataclass_fields__}
            settings = Settings(
                default_model="openai/teacher",
                default_api_base=server.url,
                prices={"openai/teacher": {"input": 1, "output": 2}},
                retries=0,
                data_root=str(tmp_path),
                **chosen,
            )
            about = {"domain": shop.DOMAIN, "gateway": Gateway(settings, store), "first_tasks": 1}
            return DomainRun(store=store, settings=settings, **about | of_run), server

        yield run_on
