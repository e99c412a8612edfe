"""About how many tasks the blind solver is asked, between how many options, and what its answers come to.

python benchmarks/open_choices.py PATH                      # a dataset, or an environment folder with its tasks
python benchmarks/open_choices.py PATH --prompts DIR        # what it is asked, a file for each task
python benchmarks/open_choices.py PATH --answers FILE.json  # its answers, task id -> the JSON that it answered with
"""

import argparse
import json
from contextlib import ExitStack
from pathlib import Path

from toolscale.checkers import GateContext, open_ends
from toolscale.checkers.picks import choices
from toolscale.dataset.audit import read_subjects
from toolscale.environment import Sandbox
from toolscale.synthesis.openness import OpennessAnswer, messages_for, satisfying_in


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--prompts", type=Path)
    parser.add_argument("--answers", type=Path)
    told = parser.parse_args()
    answers = json.loads(told.answers.read_text(encoding="utf-8")) if told.answers else {}
    subjects = read_subjects(told.path)
    asked: list[int] = []
    characters = refused = answered = 0
    with ExitStack() as stack:
        contexts = {
            id(spec): GateContext(stack.enter_context(Sandbox(spec)))
            for spec in {id(spec): spec for _, spec in subjects}.values()
        }
        for task, spec in subjects:
            context = contexts[id(spec)]
            if not context.golden(task).replay.ok or not (found := choices(task, context)):
                continue
            asked.append(len(found))
            messages = messages_for(task, found, context)
            characters += sum(len(message["content"]) for message in messages)
            print(f"{task.id}: {', '.join(f'{each.function} {len(each.options)} options' for each in found)}")
            if told.prompts:
                told.prompts.mkdir(parents=True, exist_ok=True)
                (told.prompts / f"{task.id}.txt").write_text("\n\n".join(m["content"] for m in messages), "utf-8")
            if task.id in answers:
                satisfying, why = satisfying_in(OpennessAnswer.model_validate(answers[task.id]))
                outcome = open_ends(task, found, satisfying, why, context)
                answered += 1
                refused += not outcome.passed
                for reason in () if outcome.passed else outcome.reasons:
                    print(f"    refused: {reason}")
    print(f"{len(subjects)} tasks, {len(asked)} asked about, {sum(asked)} choices", end="")
    print(f", prompts of {characters // len(asked):,} characters" if asked else "")
    if answered:
        print(f"{answered} answered, {refused} refused")


if __name__ == "__main__":
    main()
