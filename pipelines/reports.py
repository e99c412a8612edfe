"""What a domain has come to, read from what its runs stored."""

from collections import Counter
from collections.abc import Collection

from pipelines.metadata import lost_at_gates, mean_pass_rate, rejected_by_gate
from pipelines.progress import DomainReport
from pipelines.shortage import noted_shortage
from pipelines.storage import read_rows, rows_file
from toolscale.artifacts import GATES, Entry, Function, Reject, Task
from toolscale.dataset.splits import DRAFTED


def report(data_root: str, domain: str, released: Collection[str]) -> DomainReport:
    """What a domain has come to, read from its stored assets and the ids of the tasks in the dataset."""
    verified = read_rows(rows_file(data_root, "verified_tasks", domain), Task)
    kept = [task for task in verified if task.id in released]
    doubles = len(verified) - len(kept)
    rejected = read_rows(rows_file(data_root, "rejected_tasks", domain), Task)
    refused = [
        reject for asset in DRAFTED for reject in read_rows(rows_file(data_root, asset, domain, rejects=True), Reject)
    ]
    refused += read_rows(rows_file(data_root, "later_rejects", domain, rejects=True), Reject)
    drafts = lost_at_gates(refused)
    by_gate = drafts + Counter(rejected_by_gate(rejected)) + Counter(distinct=doubles)
    return DomainReport(
        functions=len(read_rows(rows_file(data_root, "functions", domain), Function)),
        entries=len(read_rows(rows_file(data_root, "entries", domain), Entry)),
        proposed=len(verified) + len(rejected) + drafts.total(),
        kept=len(kept),
        pass_rate=mean_pass_rate(task.pass_rate for task in kept),
        rejected={gate: by_gate[gate] for gate in GATES if by_gate[gate]},
        refused=len(refused) - drafts.total(),
        short=noted_shortage(data_root, domain),
    )
