"""Group fleet: what was paid so far, by domain and stage, day by day."""

import io
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple, get_args

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from upath import UPath

from pipelines.assets.stage import release_asset
from pipelines.factory import Factory
from pipelines.lineage import version_of
from pipelines.metadata import Metadata
from pipelines.pictures import bars, curve
from pipelines.refusals import refusal
from pipelines.storage import write_whole
from toolscale.errors import UserError
from toolscale.stages import Stage
from toolscale.traces.costs import PaidLine, paid_by_day

_MOST = 50
"""Domains, the dearest, and days, the latest, in a table."""

_CHAIN: dict[str, int] = {stage: place for place, stage in enumerate(get_args(Stage))}


class _Paid(NamedTuple):
    """What lines of the ledger come to."""

    dollars: float = 0.0
    tokens: int = 0
    calls: int = 0
    unpriced: int = 0


class _Measure(NamedTuple):
    """By what the pictures and tables go."""

    name: str
    of: Callable[[_Paid], float]


_DOLLARS = _Measure("dollars", lambda paid: paid.dollars)
_TOKENS = _Measure("thousand tokens", lambda paid: paid.tokens / 1000)


@release_asset(group="fleet", kinds={"python", "parquet"})
def costs(factory: dg.ResourceParam[Factory]) -> dg.MaterializeResult[None]:
    """What model calls have cost, by day, domain, stage and model, from the ledger of all runs.

    The schedule `daily_costs` writes it every morning, so that the Plots tab shows each stage's dollars over time. A
    price is that of the day of the call; calls whose price nobody knows are counted apart, as `unpriced_calls`.
    """
    file = UPath(factory.data_root) / "costs" / "costs.parquet"
    try:
        with factory.store() as store:
            lines = paid_by_day(store)
        write_whole(file, _as_parquet(lines))
    except UserError as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
        data_version=dg.DataVersion(version_of(map(repr, lines))),
        metadata={"path": dg.MetadataValue.path(str(file)), **_shown(lines)},
    )


def _as_parquet(lines: Sequence[PaidLine]) -> bytes:
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in PaidLine.__annotations__.items()])
    content = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([line._asdict() for line in lines], schema), content, compression="zstd")
    return content.getvalue()


def _shown(lines: Sequence[PaidLine]) -> Metadata:
    """The sums as numbers, which Dagster plots, and as pictures and tables; in tokens where nothing had a price."""
    if not lines:
        return {"dollars": 0.0, "calls": 0}
    whole, days = _sum(lines), _sums(lines, "day")
    by_stage = dict(sorted(_sums(lines, "stage").items(), key=lambda each: _CHAIN.get(each[0], len(_CHAIN))))
    measure = _DOLLARS if whole.dollars else _TOKENS
    stages = {stage: measure.of(paid) for stage, paid in by_stage.items()}
    so_far = list(enumerate(accumulate(map(measure.of, days.values())), start=1))
    return {
        "dollars": whole.dollars,
        "tokens": whole.tokens,
        "calls": whole.calls,
        "unpriced_calls": whole.unpriced,
        **{f"dollars_{stage}": paid.dollars for stage, paid in by_stage.items()},
        "by_stage": bars(stages, f"{measure.name.capitalize()} by stage", form=",.2f"),
        "so_far": curve(so_far, f"{measure.name.capitalize()} so far, over the days on which something was paid"),
        "by_domain": _by_domain(lines, measure),
        "by_day": dg.MetadataValue.table(
            [
                dg.TableRecord(
                    {"day": day, "dollars": round(paid.dollars, 4), "tokens": paid.tokens, "calls": paid.calls}
                )
                for day, paid in list(days.items())[: -_MOST - 1 : -1]
            ]
        ),
    }


def _by_domain(lines: Sequence[PaidLine], measure: _Measure) -> dg.TableMetadataValue:
    """A row for each domain, the dearest first, with a column for each stage that any of them paid for."""
    by_domain = {name: [line for line in lines if line.domain == name] for name in {line.domain for line in lines}}
    whole = {name: measure.of(_sum(own)) for name, own in by_domain.items()}
    dearest = sorted(whole, key=lambda name: (-whole[name], name))[:_MOST]
    stages = sorted({line.stage for line in lines}, key=lambda stage: _CHAIN.get(stage, len(_CHAIN)))
    records = []
    for name in dearest:
        paid = {stage: measure.of(each) for stage, each in _sums(by_domain[name], "stage").items()}
        figures = {stage: round(paid.get(stage, 0.0), 4) for stage in stages}
        records.append(dg.TableRecord({"domain": name, measure.name: round(whole[name], 4), **figures}))
    return dg.MetadataValue.table(records)


def _sums(lines: Sequence[PaidLine], by: Literal["day", "stage"]) -> Mapping[str, _Paid]:
    """What lines come to by day or by stage, in the order of their names."""
    grouped: dict[str, list[PaidLine]] = defaultdict(list)
    for line in lines:
        grouped[getattr(line, by)].append(line)
    return {name: _sum(grouped[name]) for name in sorted(grouped)}


def _sum(lines: Sequence[PaidLine]) -> _Paid:
    return _Paid(
        sum(line.dollars for line in lines),
        sum(line.prompt_tokens + line.completion_tokens for line in lines),
        sum(line.calls for line in lines),
        sum(line.unpriced for line in lines),
    )
