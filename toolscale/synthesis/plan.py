"""The plan of a domain's functions, from which they and the rules are written."""

from pydantic import BaseModel

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.needs import in_order_of_needs


class PlanAnswer(BaseModel):
    """What the model answers with when it plans."""

    policy: str
    functions: list[FunctionSpec]
    builds_on: dict[str, list[str]] = {}
    """Function -> those that settle a notion which it shares, such as a fee: they are written before it."""

    def grounds(self) -> dict[str, list[str]]:
        """Function, in the order in which they are written -> those before it that it builds on."""
        ordered = in_order_of_needs([spec.name for spec in self.functions], self.builds_on)
        return {
            name: [each for each in ordered[:place] if each in self.builds_on.get(name, ())]
            for place, name in enumerate(ordered)
        }
