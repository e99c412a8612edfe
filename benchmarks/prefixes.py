"""What providers that cache input could take off: ``python benchmarks/prefixes.py DATA_ROOT``.

Reads every prompt of a store as it went out (tools, then messages, in their order), and prints by stage the share of
its characters that repeat the beginning of an earlier prompt of the stage in that domain.
"""

import argparse
import json
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator
from os.path import commonprefix

from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

LEAST = 1024 * 4
"""Characters from which on providers cache: 1,024 tokens of four."""


def repeated(prompts: Iterable[str]) -> list[int]:
    """For each prompt, how many of its first characters are the first ones of an earlier prompt."""
    earlier: list[str] = []
    found = []
    for prompt in prompts:
        place = bisect(earlier, prompt)  # whoever shares most with it stands beside it
        beside = earlier[max(0, place - 1) : place + 1]
        shared = (commonprefix([prompt, other]) for other in beside)  # noqa: RUF071 - of texts
        found.append(max(map(len, shared), default=0))
        earlier.insert(place, prompt)
    return found


def prompts_in(store: Store) -> dict[str, dict[str, list[str]]]:
    """Stage -> domain -> the prompts in the order of their calls."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for call in sorted(store.rows(ModelCall), key=lambda call: (call.created_at, call.key)):
        sent = store.request_of(call)
        found[call.stage][call.domain].append("\n".join(map(json.dumps, [sent["tools"] or [], *sent["messages"]])))
    return found


def lines(store: Store) -> Iterator[str]:
    """A row for each stage."""
    yield "| stage | prompts | characters a prompt | repeat an earlier beginning | of that, in 1,024 tokens or more |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for stage, domains in prompts_in(store).items():
        shared = [length for prompts in domains.values() for length in repeated(prompts)]
        whole = sum(len(prompt) for prompts in domains.values() for prompt in prompts)
        cached = sum(length for length in shared if length >= LEAST)
        shares = f"{sum(shared) / whole:.0%} | {cached / whole:.0%}"
        yield f"| {stage} | {len(shared):,} | {whole / len(shared):,.0f} | {shares} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data_root")
    with Store.existing(Settings.load(data_root=parser.parse_args().data_root).database_url()) as store:
        print("\n".join(lines(store)))


if __name__ == "__main__":
    main()
