"""The ready views over a dataset's tables, of which card and report have their figures."""

from toolscale.artifacts import DIFFICULTIES, GATES
from toolscale.dataset.splits import DRAFTED
from toolscale.query.tables import quoted

MANY_CALLS = 6
"""Golden calls from which on a task counts as long."""

_GATES_IN_ORDER = f"[{', '.join(map(quoted, GATES))}]"

_REFUSED = (
    f"from rejects where stage = 'verified_tasks' or (stage in ({', '.join(map(quoted, DRAFTED))}) "
    f'and "check" in ({", ".join(map(quoted, GATES))}))'
)
"""Tasks that a gate refused, as a draft or later."""

_LESSONS = """
with made as (
    select task_id, domain, split, attempt, true as solved, messages, calls from trajectories
    union all
    select task_id, domain, split, attempt, false, messages, calls from failed_attempts
),
counted as (
    select * exclude (messages, calls), len(list_filter(messages, lambda m: m.role = 'user')) as user_turns,
        list_transform(
            json_extract(calls, '$[*].error_type'), lambda e: e is not null and json_type(e) <> 'NULL'
        ) as failed
    from made
)
select
    * exclude (failed), len(failed) as calls, len(list_filter(failed, lambda f: f)) as errors,
    coalesce(list_contains(failed[list_position(failed, true):], false), false) as recovered
from counted
"""

SENTENCE_FORMS = r"""
select id, split, unseen_domain, lower(trim(unnest(regexp_extract_all(regexp_replace(regexp_replace(
    prompt, '\S*\d\S*?([.,;:!?)"]*)(\s|$)', '#\1\2', 'g'),
    '([^.!?\s]\s)\p{Lu}[\p{L}''-]+(\s\p{Lu}[\p{L}''-]+)*', '\1@', 'g'), '[^.!?\n]+[.!?]*')))) as named
from tasks
"""
"""The forms of all sentences: a word with a figure in it is `#`, and a name inside of the sentence `@`."""

_SEEN = f"""
with sentence as ({SENTENCE_FORMS}),
parts as (
    select 1 as position, 'family' as part, id, split, unseen_domain,
        coalesce(ancestors[1].id, lineage.parent, id) as named from tasks
    union all select 2, 'intent', id, split, unseen_domain, domain || '/' || intent from tasks
    union all select 3, 'user', id, split, unseen_domain, domain || '/' || user from tasks
    union all select 4, 'function sequence', id, split, unseen_domain,
        array_to_string([call.name for call in evaluation_criteria.actions], ' ') from tasks
    union all select 5, 'sentence form', id, split, unseen_domain, named from sentence where named <> ''
),
trained as (select distinct part, named from parts where split = 'train')
select
    position, part, count(*) as parts, avg((trained.named is not null)::int) as seen,
    avg((trained.named is not null)::int) filter (where not coalesce(unseen_domain, false)) as seen_of_trained_domains
from parts left join trained using (part, named) where split = 'eval' and named is not null
group by position, part order by position
"""
_SHAPE = f"""
select
    task.id as task_id, domain, split, lineage.depth as depth,
    coalesce(len(evaluation_criteria.actions), 0) as golden_calls,
    coalesce(len(list_distinct([call.name for call in evaluation_criteria.actions])), 0) as functions,
    coalesce(len(evaluation_criteria.actions), 0) >= {MANY_CALLS} as many_calls,
    coalesce(list_has_any([call.name for call in evaluation_criteria.actions], writing), false) as writes,
    len(evaluation_criteria.communicate_info) as facts,
    array_to_string([
        concat(call.name, '(', array_to_string(json_keys(call.arguments), ', '), ')')
        for call in evaluation_criteria.actions
    ], '; ') as skeleton,
    pass_rate
from tasks task
left join (
    select environment, list(name) filter (where kind = 'write') as writing from functions group by environment
) using (environment)
"""

_DIFFICULTIES = f"""
with named as (
    select unnest([{", ".join(map(quoted, DIFFICULTIES))}]) as difficulty,
        unnest(range({len(DIFFICULTIES)})) as position
),
counted as (
    select named.difficulty, position, lineage.depth as depth, count(*) as of_depth,
        count(*) filter (where list_contains(task.difficulty, named.difficulty)) as tasks
    from tasks task cross join named group by all
)
select difficulty, depth, tasks, of_depth, tasks / of_depth as share from counted order by position, depth
"""

_FACTS = """
select
    count(*) as tasks,
    count(distinct (domain, skeleton)) as skeletons,
    coalesce(avg(golden_calls) filter (where depth > 0), 0) as golden_calls_evolved,
    coalesce(avg(many_calls::int), 0) as with_many_calls,
    coalesce(avg(writes::int), 0) as with_writes,
    coalesce(avg((not writes and facts > 0)::int), 0) as read_only_with_facts
from shape
"""

_GATES = f"""
with refused as (select domain, "check" as gate, count(*) as refused {_REFUSED} group by all),
named as (
    select gate, list_position({_GATES_IN_ORDER}, gate) as position
    from (select unnest({_GATES_IN_ORDER}) as gate union select gate from refused)
),
counted as (
    select domain, gate, position, coalesce(refused, 0) as refused, proposed
    from domains cross join named left join refused using (domain, gate)
)
select
    domain, position, gate, refused,
    proposed - sum(refused) over (partition by domain order by position nulls last, gate)::bigint as remaining
from counted order by domain, position nulls last, gate
"""

_DOMAINS = f"""
with task as (
    select domain, count(*) as kept, avg(golden_calls) as golden_calls, avg(pass_rate) as pass_rate
    from shape group by domain
),
refused as (select domain, count(*) as refused {_REFUSED} group by domain),
environment as (
    select domain, sum(json_array_length(functions))::bigint as functions, sum(list_sum([
        case json_type(entries) when 'OBJECT' then len(json_keys(entries))
            when 'ARRAY' then json_array_length(entries) else 0 end
        for entries in map_values(from_json(database, '"MAP(VARCHAR, JSON)"'))
    ]))::bigint as entries
    from environments group by domain
)
select
    domain, coalesce(functions, 0) as functions, coalesce(entries, 0) as entries,
    coalesce(kept, 0) + coalesce(refused, 0) as proposed, coalesce(kept, 0) as kept, golden_calls, pass_rate
from environment full join task using (domain) full join refused using (domain)
order by domain
"""

_BY_GATE = ", ".join(f'count(*) filter (where "check" = {quoted(gate)}) as {gate}' for gate in GATES)

READY = {
    "domains": (
        "A domain: its functions and entries, tasks proposed and kept, golden calls a task, mean pass rate.",
        _DOMAINS,
    ),
    "funnel": (
        "A domain: tasks proposed, how many each gate refused first, tasks kept.",
        f"select domain, proposed, coalesce(columns(refused.* exclude (domain)), 0), kept from domains "
        f"left join (select domain, {_BY_GATE} {_REFUSED} group by domain) refused using (domain) order by domain",
    ),
    "gates": (
        "A gate in a domain, in their order: tasks that it refused first, and tasks that remained.",
        _GATES,
    ),
    "refusals": (
        "A check of a stage in a domain: how much it refused.",
        'select domain, stage, "check", count(*) as refused from rejects group by all order by all',
    ),
    "splits": (
        "A split: its tasks, and those of which domain, intent, user or entities are not in `train`.",
        "select split, count(id) as tasks, count(*) filter (where unseen_domain) as domain_unseen, "
        "count(*) filter (where unseen_intent) as intent_unseen, count(*) filter (where unseen_user) as user_unseen, "
        "count(*) filter (where unseen_entities) as entities_unseen, count(id) filter (where not (unseen_domain or "
        "unseen_intent or unseen_user or unseen_entities)) as nothing_unseen "
        "from (select unnest(['train', 'eval']) as split) left join tasks using (split) group by split "
        "order by split desc",
    ),
    "seen": (
        "A part of what `eval` consists of: how many there are, and the share that `train` has too, over all of `eval` "
        "and over its tasks of domains that are in `train`.",
        _SEEN,
    ),
    "lessons": (
        "An attempt that is kept to learn from: turns of the user, calls, errors, and whether a call succeeded after "
        "one.",
        _LESSONS,
    ),
    "shape": (
        "A task in figures: depth, golden calls, functions, facts to tell; and its calls without their values.",
        _SHAPE,
    ),
    "depths": (
        "How often tasks were made harder: tasks, and their means; `many_calls` is the share with "
        f"{MANY_CALLS} golden calls or more.",
        "select depth, count(*) as tasks, avg(golden_calls) as golden_calls, avg(functions) as functions, "
        "avg(many_calls::int) as many_calls, avg(pass_rate) as pass_rate from shape group by depth order by depth",
    ),
    "difficulties": (
        "A type of difficulty at a depth of evolution: tasks that have it, of how many at that depth, and their share.",
        _DIFFICULTIES,
    ),
    "operators": (
        "An operator: tasks whose author says that it made them hard with it, their golden calls and pass rate.",
        "select operator, count(*) as tasks, avg(golden_calls) as golden_calls, avg(shape.pass_rate) as pass_rate "
        "from tasks join shape on shape.task_id = tasks.id where operator is not null group by operator "
        "order by tasks desc, operator",
    ),
    "facts": ("The whole dataset in one row: tasks, distinct skeletons, shares from 0 to 1.", _FACTS),
    "pass_rates": (
        "How many tasks were solved in so many of their attempts, by domain, split and depth.",
        "select domain, split, lineage.depth as depth, len([a for a in attempts if a.solved]) as solved, "
        "len(attempts) as attempts, count(*) as tasks from tasks group by all order by all",
    ),
    "pass_rates_by_model": (
        "How a model fared at the tasks of a domain, split and depth: tasks that it attempted, mean pass rate.",
        "select model, user_model, temperature, max_turns, domain, split, depth, count(*) as tasks, avg(rate) as rate "
        "from _rated group by all order by all",
    ),
    "_rated": (
        "",
        "select task_id, domain, split, depth, r.* from (select id as task_id, domain, split, "
        "lineage.depth as depth, unnest(pass_rates) as r from tasks)",
    ),
    "attempts": (
        "An attempt at a kept task, and its verdict.",
        "select task_id, domain, split, depth, a.* from (select id as task_id, domain, split, "
        "lineage.depth as depth, unnest(attempts) as a from tasks)",
    ),
    "golden_calls": (
        "A golden call of a task: its place, function, whether that reads or writes, arguments as JSON.",
        "select task_id, called.domain, split, position, call.name as name, kind, call.arguments as arguments "
        "from (select id as task_id, domain, split, environment, "
        "generate_subscripts(evaluation_criteria.actions, 1) - 1 as position, "
        "unnest(evaluation_criteria.actions) as call from tasks) called "
        "left join functions on functions.environment = called.environment and functions.name = call.name",
    ),
    "functions": (
        "A function that a domain offers.",
        "select domain, environment, f ->> 'name' as name, f ->> 'kind' as kind, f ->> 'description' as description, "
        "f -> 'parameters' as parameters from "
        "(select domain, id as environment, unnest(json_extract(functions, '$[*]')) as f from environments)",
    ),
    "functions_used": (
        "A function: how many golden calls name it, in how many tasks; 0 of one that no task needs.",
        "select functions.domain, functions.name, any_value(functions.kind) as kind, "
        "count(distinct task_id) as tasks, count(task_id) as calls from functions "
        "left join golden_calls using (domain, name) group by all order by all",
    ),
}
"""Ready view -> what a row of it is, and its query."""
