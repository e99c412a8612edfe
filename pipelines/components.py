"""The factory as a component: a file `defs.yaml` takes the whole chain into another project's definitions."""

import json
import os
from collections.abc import Mapping
from typing import Any

import dagster as dg
from pydantic import Field, ValidationError

from pipelines.domains import domain_file, make_domain, read_domain, write_domain
from pipelines.factory import Factory
from pipelines.refusals import Refusal
from pipelines.run_config import RunConfig
from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.run_options import RunOptions
from toolscale.settings import Settings


class Place(dg.Model):
    """What `dg scaffold` may be told."""

    data_root: str = Field(default="data", description="Where everything is written: a folder or an fsspec URL.")
    model: str = Field(default="offline/reference", description="The model for every role, as a litellm model string.")


class ToolScaleScaffolder(dg.Scaffolder[Place]):
    """Writes a `defs.yaml` to go on from."""

    @classmethod
    def get_scaffold_params(cls) -> type[Place]:
        """The options of the command."""
        return Place

    def scaffold(self, request: dg.ScaffoldRequest[Place]) -> None:
        """Write the file, with the attributes that every project wants to choose."""
        settings = {"data_root": request.params.data_root, "default_model": request.params.model}
        dg.scaffold_component(request, {"settings": settings, "run": {"tasks_per_domain": 85}, "domains": {}})


@dg.scaffold_with(ToolScaleScaffolder)
class ToolScaleDomains(dg.Component, dg.Model, dg.Resolvable):
    """The chain from a domain's name to verified tasks, the dataset over all domains, and what watches over them."""

    settings: dict[str, Any] = Field(
        default={},
        description="Settings by the names of toolscale.toml: `data_root`, `store_url`, `default_model`, `executor` "
        "and any other. A variable TOOLSCALE_* that is set wins.",
    )
    run: dict[str, Any] = Field(
        default={}, description="Options that every run has unless its launchpad says otherwise, such as `keep`."
    )
    domains: dict[str, str] = Field(
        default={}, description="Name -> description of domains to be made; files in `domains/` may add others."
    )

    @classmethod
    def get_spec(cls) -> dg.ComponentTypeSpec:
        """What a list of components shows."""
        return dg.ComponentTypeSpec(
            description="Verifiable tool-use tasks, from a domain's name to a published dataset.",
            owners=["team:toolscale"],
            tags=["synthetic data", "reinforcement learning"],
            produces=["asset", "asset_check", "job", "schedule", "sensor", "resource"],
        )

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        """The definitions of the factory, with the settings and the usual options of this project.

        Raises:
            UserError: an attribute is one that there is not, or has a wrong value.
        """
        for name, description in self.domains.items():
            make_domain(name, description)
        _refuse_unknown("run", self.run, RunOptions.model_fields)
        _refuse_unknown("settings", self.settings, Settings.model_fields)
        _tell_process(self.settings)
        settings = Settings.load()
        Factory.of(settings, **self.run)
        usual = self._usual()
        from pipelines.definitions import definitions  # noqa: PLC0415 - its assets read the settings as they load

        chain = definitions(usual, settings.data_root)
        if not self.domains:
            return chain
        return dg.Definitions.merge(chain, dg.Definitions(sensors=[declaring(self.domains)]))

    def _usual(self) -> RunConfig:
        """The options of a run as its launchpad has them."""
        try:
            return RunConfig(**self.run)
        except Refusal as refused:
            if not isinstance(refused.__cause__, ValidationError):
                raise
            raise _wrong("run", refused.__cause__) from None


def declaring(domains: Mapping[str, str]) -> dg.SensorDefinition:
    """A sensor that gives each of these domains its file, from which the sensor `domains` goes on."""

    @dg.sensor(
        name="declared_domains",
        minimum_interval_seconds=30,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Gives each domain that the component declares its file; the sensor `domains` makes it from there.",
    )
    def declared_domains(context: dg.SensorEvaluationContext, factory: dg.ResourceParam[Factory]) -> dg.SkipReason:
        written, other = [], []
        for name, description in domains.items():
            if not domain_file(factory.data_root, name).exists():
                written.append(str(write_domain(factory.data_root, make_domain(name, description))))
            elif (there := read_domain(factory.data_root, name).description) != description.strip():
                other.append(f"{name} is described otherwise in its file, which holds: {in_one_line(there)}")
        return dg.SkipReason("; ".join([*(f"wrote {file}" for file in written), *other]) or "every domain has its file")

    return declared_domains


def _tell_process(settings: Mapping[str, Any]) -> None:
    """Make settings hold in this process and in those that it starts: steps, a domain's sandboxes, the trainer.

    They become variables because assets read the settings as their modules load, and a step's process loads them anew.
    """
    try:
        Settings(**settings)
    except ValidationError as error:
        raise _wrong("settings", error) from None
    for name, value in settings.items():
        if value is not None:
            os.environ.setdefault(f"TOOLSCALE_{name.upper()}", value if isinstance(value, str) else json.dumps(value))


def _refuse_unknown(attribute: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    if unknown := given.keys() - known.keys():
        raise UserError(
            f"`{attribute}.{min(unknown)}` of the component ToolScaleDomains: there is no such name, only "
            f"{', '.join(sorted(known))}"
        )


def _wrong(attribute: str, error: ValidationError) -> UserError:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, (attribute, *first["loc"])))
    return UserError(f"`{where}` of the component ToolScaleDomains: {first['msg']}")
