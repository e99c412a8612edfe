"""Group environment: from a domain's description to something that runs."""

from collections import Counter
from typing import Any

import dagster as dg

from pipelines.assets.stage import domain_asset
from pipelines.domains import order_of, read_domain
from pipelines.factory import Factory, refusal
from pipelines.metadata import cost, counted, environment_metadata, preview, refused
from pipelines.orders import take
from pipelines.progress import Listener
from pipelines.shown import markdown
from pipelines.tags import ORDER
from toolscale.artifacts import DatabaseSchema, Domain, Entry, EnvironmentSpec, Function, Rule, Subject
from toolscale.errors import UserError
from toolscale.synthesis.assembly import assemble, database_of
from toolscale.synthesis.entries import DatabaseGap, write_entries
from toolscale.synthesis.functions import PlanAnswer, plan_functions, write_functions
from toolscale.synthesis.rules import write_rules
from toolscale.synthesis.schema import design_schema
from toolscale.synthesis.subjects import propose_subjects

GROUP = "environment"


@domain_asset(GROUP, holds=Domain)
def domain(context: dg.AssetExecutionContext, factory: dg.ResourceParam[Factory]) -> dg.MaterializeResult[Domain]:
    """What the domain covers, and when it lives.

    Read from its file `domains/<name>.toml`; a reference domain needs none.
    """
    try:
        found = read_domain(factory.data_root, context.partition_key)
        order = order_of(factory.data_root, context.partition_key)
        if order and context.run.tags.get(ORDER) == order.order:
            take(factory.data_root, context.partition_key, order)
    except UserError as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
        value=found, metadata={"description": found.description, "now": found.now.isoformat(sep=" ")}
    )


@domain_asset(GROUP, holds=Subject, prompts=("subjects",), asks=("teacher",), told=("seed",))
def subjects(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
) -> dg.MaterializeResult[list[Subject]]:
    """The domain's major subjects; entries are written subject by subject.

    The teacher names them from the domain's description alone.
    """
    found = factory.ask(context, progress, lambda ask: propose_subjects(domain, ask.gateway, seed=factory.seed))
    return dg.MaterializeResult(
        value=found,
        metadata={
            "subjects": len(found),
            **preview(found, "name"),
            **cost(factory, domain.name, "subjects"),
        },
    )


@domain_asset(GROUP, holds=DatabaseSchema, prompts=("schema",), asks=("teacher",), told=("seed",))
def schema(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    subjects: list[Subject],
) -> dg.MaterializeResult[DatabaseSchema]:
    """The schema of the domain's database: tables, fields, keys and references, as one JSON Schema.

    The teacher designs it for the subjects after a demonstration, and says how many records each has; one that is not
    sound goes back with the reasons.
    """
    found = factory.ask(context, progress, lambda ask: design_schema(domain, subjects, ask.gateway, seed=factory.seed))
    return dg.MaterializeResult(
        value=found,
        metadata={
            "tables": len(found.tables),
            "references": len(found.references),
            "json_schema": dg.MetadataValue.json(found.json_schema),
            **counted("records_wanted", sum(map(Counter, found.records.values()), Counter())),
            **counted("fields", {table: len(record["properties"]) for table, record in found.tables.items()}),
            **cost(factory, domain.name, "schema"),
        },
    )


@domain_asset(
    GROUP,
    holds=Entry,
    prompts=("entries", "validation"),
    asks=("teacher", "validator"),
    told=("seed", "entries_scale"),
)
def entries(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    subjects: list[Subject],
    schema: DatabaseSchema,
) -> dg.MaterializeResult[Any]:
    """The records that fill the database; what was refused lies beside them with the reasons.

    The teacher writes them part by part, what is referred to before what refers to it. Programs check schema, keys,
    references and how all is spread, the validator whether the content is natural and consistent; what fails goes back,
    a few times at most, and then the records at fault are left out. What falls short in the end is told by the check
    `spread`. A subject or a table without records stops the domain.
    """
    try:
        found = factory.ask(
            context,
            progress,
            lambda ask: write_entries(
                domain,
                subjects,
                schema,
                ask.gateway,
                scale=ask.settings.entries_scale,
                seed=factory.seed,
                told=ask.telling.tell,
            ),
        )
    except dg.Failure as failure:
        if isinstance(gap := failure.__cause__, DatabaseGap):  # nothing is stored, so what was refused is shown here
            raise dg.Failure(failure.description, refused(gap.rejects), allow_retries=False) from gap
        raise
    return dg.MaterializeResult(
        value=found,
        metadata={
            "entries": len(found.kept),
            **counted("by_table", Counter(entry.table for entry in found.kept)),
            **counted("by_subject", Counter(entry.subject for entry in found.kept)),
            **preview(found.kept, "table", "key", "record", "subject"),
            **refused(found.rejects),
            **cost(factory, domain.name, "entries", "validation"),
        },
    )


@domain_asset(GROUP, holds=PlanAnswer, prompts=("functions_plan",), asks=("teacher",), told=("seed",))
def functions_plan(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    schema: DatabaseSchema,
    entries: list[Entry],
) -> dg.MaterializeResult[PlanAnswer]:
    """The policy that an agent must follow, and which functions to write.

    Planned by the teacher in one answer, so that policy and functions speak of the same rules.
    """
    database = database_of(schema, entries)
    found = factory.ask(
        context, progress, lambda ask: plan_functions(domain, schema, database, ask.gateway, seed=factory.seed)
    )
    return dg.MaterializeResult(
        value=found,
        metadata={
            "planned": len(found.functions),
            "policy": markdown(found.policy),
            **preview(found.functions, "name", "kind", "description", "parameters"),
            **cost(factory, domain.name, "functions_plan"),
        },
    )


@domain_asset(GROUP, holds=Function, prompts=("function",), asks=("teacher",), told=("seed",))
def functions(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    schema: DatabaseSchema,
    entries: list[Entry],
    functions_plan: PlanAnswer,
) -> dg.MaterializeResult[Any]:
    """The functions with their Python sources; what was refused lies beside them with the reasons.

    The teacher writes each by itself. It is accepted only after calls made of real entries ran in the sandbox: one must
    succeed, one be refused, a `read` change nothing and a `write` something.
    """
    database = database_of(schema, entries)
    found = factory.ask(
        context,
        progress,
        lambda ask: write_functions(
            domain, schema, database, functions_plan, ask.gateway, seed=factory.seed, told=ask.telling.tell
        ),
    )
    return dg.MaterializeResult(
        value=found,
        metadata={
            "functions": len(found.kept),
            "writes": sum(function.kind == "write" for function in found.kept),
            **preview(found.kept, "name", "kind", "description", "source"),
            **refused(found.rejects),
            **cost(factory, domain.name, "functions"),
        },
    )


@domain_asset(GROUP, holds=Rule, prompts=("rules",), asks=("teacher",), told=("seed",))
def rules(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    schema: DatabaseSchema,
    entries: list[Entry],
    functions: list[Function],
    functions_plan: PlanAnswer,
) -> dg.MaterializeResult[Any]:
    """The policy as predicates on calls, and its sentences that no program can check; refused answers lie beside them.

    The teacher writes each predicate with a call that breaks it and one that just keeps it. In the sandbox it must fire
    on the one and on nothing that the policy allows, and its examples must notice when it is mutated. What never does,
    and what no program can check, is left to a judge, who reads it beside each task's golden calls.
    """
    database = database_of(schema, entries)
    found = factory.ask(
        context,
        progress,
        lambda ask: write_rules(domain, schema, database, functions_plan, functions, ask.gateway, seed=factory.seed),
    )
    return dg.MaterializeResult(
        value=found,
        metadata={
            "rules": sum(rule.by == "program" for rule in found.kept),
            "left_to_a_judge": sum(rule.by == "judge" for rule in found.kept),
            **preview(found.kept, "name", "sentence", "by", "source"),
            **refused(found.rejects),
            **cost(factory, domain.name, "rules"),
        },
    )


@domain_asset(GROUP, told=("seed",), kind="folder", io_manager_key="environments")
def environment(
    factory: dg.ResourceParam[Factory],
    domain: Domain,
    schema: DatabaseSchema,
    entries: list[Entry],
    functions: list[Function],
    functions_plan: PlanAnswer,
    rules: list[Rule],
) -> dg.MaterializeResult[EnvironmentSpec]:
    """The domain made executable: a folder with database, functions, policy and rules, which everything after it reads.

    Put together by a program from schema, entries, functions, plan and rules (docs/environment-format.md).
    """
    made = assemble(domain, schema, entries, functions, functions_plan.policy, rules=rules, seed=factory.seed)
    return dg.MaterializeResult(value=made, metadata=environment_metadata(made))
