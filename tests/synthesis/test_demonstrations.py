"""Prompts depend on the domain that they are about, never on which others there are."""

import os
import subprocess
import sys
from pathlib import Path

RENDER = """
import asyncio, hashlib
from toolscale.artifacts import DatabaseSchema, Domain, Entry, Intent, Subject
from toolscale.llm.errors import Refused
from toolscale.reference.domain import reference_domains, reference_domain
from toolscale.synthesis.assembly import assemble
from toolscale.synthesis.entries import DatabaseGap, write_entries
from toolscale.settings import Settings
from toolscale.synthesis.functions import plan_functions, write_functions
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.intents import propose_intents
from toolscale.synthesis.schema import design_schema
from toolscale.synthesis.subjects import propose_subjects
from toolscale.synthesis.tasks import propose_tasks

class Recorder:
    async def typed(self, role, messages, *_, **about):
        print(about["domain"], about["stage"], hashlib.sha256(repr(messages).encode()).hexdigest())
        raise Refused("no")

    async def chat(self, role, messages, tools, **about):
        await self.typed(role, messages, **about)

async def asked(stage):
    try:
        await stage
    except (Refused, DatabaseGap):
        pass

async def main():
    gateway = Recorder()
    for name in ("ecommerce", "education", "railway", "foreign"):
        known = reference_domain(name if name != "foreign" else "railway")
        domain = Domain(name=name, description=known.about.description)
        schema = DatabaseSchema(domain=name, json_schema=known.schema)
        subjects = [Subject(domain=name, name="a subject")]
        entries = [
            Entry(domain=name, table=table, key=key, record=record, subject="a subject")
            for table, records in next(iter(known.world(0).values())).items()
            for key, record in records.items()
        ]
        plan = PlanAnswer(policy="p", functions=[f.spec() for f in known.functions])
        environment = assemble(domain, schema, [], known.functions, plan, [])
        run = DomainRun(domain, gateway, None, Settings(), first_tasks=1)
        intent = Intent(id="i", domain=name, purpose="buy")
        await asked(propose_subjects(run))
        await asked(design_schema(run, subjects))
        await asked(plan_functions(run, schema, entries))
        await asked(write_functions(run, schema, entries, plan))
        await asked(propose_intents(run, environment))
        await asked(propose_tasks(run, environment, [intent], []))
        await asked(write_entries(run, subjects, schema))

asyncio.run(main())
print("domains:", *reference_domains())
"""


def rendered(root: Path) -> tuple[list[str], str]:
    done = subprocess.run(
        [sys.executable, "-c", RENDER],
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    *prompts, domains = done.stdout.splitlines()
    return prompts, domains


def test_a_further_reference_domain_changes_no_prompt(tmp_path):
    before, known = rendered(tmp_path)
    further = tmp_path / "further-1.dist-info"
    further.mkdir()
    (further / "METADATA").write_text("Metadata-Version: 2.1\nName: further\nVersion: 1\n")
    names = ("aaa", "education_of_adults", "zzz")
    found = "".join(f"{name} = toolscale.reference.railway:DOMAIN\n" for name in names)
    (further / "entry_points.txt").write_text(f"[toolscale.domains]\n{found}")
    after, more = rendered(tmp_path)
    assert len(more.split()) == len(known.split()) + 3
    assert more.split()[1] == "aaa"
    assert after == before
    assert len(before) > 100
