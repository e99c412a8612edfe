"""What the routing demo says while it runs."""

from pathlib import Path
from typing import TYPE_CHECKING

from trainer.config import Config
from trainer.demo.screen import Screen
from trainer.output.metrics import MetricsRecord

if TYPE_CHECKING:
    from trainer.route_demo.report import Report


class RouteScreen(Screen):
    """The demo's lines on a terminal: beside what is solved, what it costs and who is asked."""

    def title(self, config: Config) -> None:
        """What is going to happen."""
        algorithm = config.algorithm
        self.say(("A small language model learns whom to ask", "bold"), " (SmolLM2-135M; some minutes)")
        how = (
            f"two simulated experts (programs, no language models); {config.steps} steps of GRPO, each "
            f"{algorithm.tasks_per_step} questions {algorithm.rollouts_per_task} times, seed {config.seed}, "
            f"in {config.model.dtype}\n"
        )
        self.say((how, "dim"))

    def summary(self, report: "Report", page: Path) -> None:
        """What came of it."""
        before, after = report.before, report.after
        fell = 1 - after["cost_per_solved"] / before["cost_per_solved"]
        change = f"{abs(fell):.0%} {'less' if fell >= 0 else 'more'}"
        self.say(
            (f"\nA solved question costs {change} after GRPO", "bold"),
            f", at an accuracy of {after['accuracy']:.0%} after {before['accuracy']:.0%}; "
            f"{report.seconds / 60:.1f} minutes",
        )
        for tool, share in after["shares"].items():
            self.say(f"{tool}: {before['shares'][tool]:.0%} of the calls before, {share:.0%} after")
        for kind, own in after["by_difficulty"].items():
            shares = ", ".join(f"{share:.0%} {tool}" for tool, share in own["shares"].items())
            self.say(f"{kind} questions, after: {own['accuracy']:.0%} right, {shares}")
        self.say(f"curves: {page}   figures: {page.with_suffix('.json')}")

    def _step(self, line: MetricsRecord) -> None:
        super()._step(line)
        self.say((f"          {_routes(line)}", "dim"))

    def _evaluation(self, line: MetricsRecord) -> None:
        super()._evaluation(line)
        self.say((f"          {_routes(line)}", "dim"))


def _routes(line: MetricsRecord) -> str:
    """What an attempt cost, and whom it asked."""
    calls = {name.removeprefix("calls_"): each for name, each in line.items() if name.startswith("calls_")}
    told = ", ".join(f"{tool} {times:.2f}" for tool, times in calls.items())
    return f"{100 * line['dollars']:.4f} cents an attempt; calls: {told}"
