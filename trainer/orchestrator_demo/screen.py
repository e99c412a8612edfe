"""What the orchestrator's demo says while it runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainer.config import Config
from trainer.route_demo.screen import RouteScreen

if TYPE_CHECKING:
    from trainer.orchestrator_demo.report import Report


class OrchestratorScreen(RouteScreen):
    """The demo's lines on a terminal: beside what is solved, what it costs and who is asked."""

    def title(self, config: Config) -> None:
        """What is going to happen."""
        algorithm, model = config.algorithm, config.model.path.rpartition("/")[2]
        self.say(("A small language model learns when to ask, and whom", "bold"), f" ({model}; some minutes)")
        how = (
            f"a claims desk, and two simulated experts (programs, no language models); {config.steps} steps of GRPO, "
            f"each {algorithm.tasks_per_step} claims {algorithm.rollouts_per_task} times, seed {config.seed}, "
            f"in {config.model.dtype}\n"
        )
        self.say((how, "dim"))

    def told(self, report: "Report", page: Path) -> None:
        """What came of it."""
        before, after = report.before, report.after
        self.say(
            (f"\nThe reward on held-out claims went from {before['reward']['mean']:.2f} ", "bold"),
            (f"to {after['reward']['mean']:.2f}", "bold"),
            f" (the best rule: {report.rules['best']['reward']['mean']:.2f}), "
            f"solved from {before['solved']['mean']:.0%} to {after['solved']['mean']:.0%}; "
            f"{report.seconds / 60:.1f} minutes",
        )
        reward, cents = report.gain["reward"], report.gain["cents"]
        self.say(
            f"by claim: reward {reward['mean']:+.2f} (95% interval {reward['low']:+.2f} to {reward['high']:+.2f}), "
            f"cents an attempt {cents['mean']:+.3f} ({cents['low']:+.3f} to {cents['high']:+.3f})"
        )
        for wish, own in after["by_wish"].items():
            was = before["by_wish"][wish]
            self.say(
                f"{wish}: reward {was['reward']['mean']:.2f} before, {own['reward']['mean']:.2f} after; "
                f"a solved claim: {_cents(was)} before, {_cents(own)} after"
            )
            for topic, found in own["by_topic"].items():
                shares = ", ".join(f"{share:.0%} {way}" for way, share in found["ways"].items())
                self.say(f"  {topic}: {found['solved']:.0%} solved, {shares}")
        self.say(f"curves: {page}   figures: {page.with_suffix('.json')}")


def _cents(found: Mapping[str, Any]) -> str:
    cents = found["cents_per_solved"]
    return f"{cents['mean']:.3f} cents" if cents else "nothing was solved"
