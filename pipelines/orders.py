"""Orders: what the job `new_domain` asked for stands in the domain's file until a run has taken it.

Beside a domain's description the file then has `order` (an id), `preview`, and a table `run` with settings as the
resource `factory` takes them. Each order is run once, also where Dagster's own records were lost meanwhile.
"""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from upath import UPath

from pipelines.domain_file import DomainFile
from pipelines.launchpad import with_options
from pipelines.storage import write_whole
from pipelines.tags import MODEL, ORDER, PREVIEW
from toolscale.errors import UserError
from toolscale.run_options import RunOptions

PREVIEW_TASKS = 6
"""First tasks of a preview."""

FIELDS = {"order", "preview", "run"}
"""What an order adds to a domain's file."""

QUOTA = ("keep", "pass_rate", "golden_calls")
"""Settings of a run that say how many tasks are wanted, and which; a preview goes by none of them."""


@with_options(*RunOptions.model_fields)
class Chosen(BaseModel):
    """What the table `run` chooses."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Order(BaseModel):
    """One run of `generate` that was asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    order: str
    """Its id."""
    preview: bool = False
    run: Chosen = Chosen()

    def chosen(self) -> dict[str, Any]:
        """The options that were chosen, as the resource `factory` takes them."""
        return self.run.model_dump(exclude_unset=True)

    def run_config(self, first_tasks: int) -> dict[str, Any]:
        """The configuration of the run; `first_tasks` holds where the order does not say how many."""
        wanted = self.first_tasks(first_tasks)
        tasks = min(PREVIEW_TASKS, wanted) if self.preview else wanted
        run = {name: value for name, value in self.chosen().items() if not (self.preview and name in QUOTA)}
        return {"resources": {"factory": {"config": {**run, "tasks_per_domain": tasks}}}}

    def tags(self, first_tasks: int, model: str) -> dict[str, str]:
        """The tags of the run; `model` is the one that it asks."""
        told = {ORDER: self.order, MODEL: model}
        return told | ({PREVIEW: str(self.first_tasks(first_tasks))} if self.preview else {})

    def first_tasks(self, otherwise: int) -> int:
        """First tasks of the whole domain."""
        return int(self.chosen().get("tasks_per_domain", otherwise))

    def as_toml(self) -> list[str]:
        """The lines that an order adds to a domain's file."""
        plain = [f"{name} = {_toml(value)}" for name, value in self.chosen().items() if not isinstance(value, dict)]
        tables = [
            line
            for name, value in self.chosen().items()
            if isinstance(value, dict)
            for line in ("", f"[run.{name}]", *(f"{_toml(key)} = {_toml(each)}" for key, each in value.items()))
        ]
        return [f"order = {_toml(self.order)}", f"preview = {_toml(self.preview)}", "", "[run]", *plain, *tables]


def order_in(file: DomainFile) -> Order | None:
    """The order in a domain's file, if it holds one. Who reads its domain hears what else is wrong with the file.

    Raises:
        UserError: there is an order that cannot be carried out.
    """
    if "order" not in file.said:
        return None
    try:
        return Order.model_validate({name: file.said[name] for name in FIELDS & file.said.keys()})
    except ValidationError as error:
        first = error.errors()[0]
        where = f"{file.path}: `{'.'.join(map(str, first['loc']))}` of its order"
        raise UserError(f"{where}: {first['msg']}; correct it, or remove the order") from None


def is_taken(data_root: str, domain: str, order: Order) -> bool:
    """True if a run has begun on the order."""
    note = _note(data_root, domain)
    return note.exists() and note.read_text(encoding="utf-8") == order.order


def take(data_root: str, domain: str, order: Order) -> None:
    """Note that a run has begun on the order."""
    write_whole(_note(data_root, domain), order.order.encode())


def _toml(value: Any) -> str:
    """A string, a number or a truth value: JSON's are TOML's too, but for the delete character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _note(data_root: str, domain: str) -> UPath:
    return UPath(data_root) / "made" / "orders" / domain
