"""Which of the service's personas work where: a harbour master has a harbour, not an orchard."""

import re

from toolscale.reference.program import World

CALLINGS = {
    "farm": r"grower|farm|orchard|beekeeper|estate",
    "airfield": r"airfield|flight|gliding",
    "venue": r"festival|stage|theatre|ice rink",
    "harbour": r"harbour|sailing",
    "building site": r"concrete|crane|scaffolder",
}
"""The kind of a site -> what a persona who works there speaks of."""


def suits(persona: str, world: World, user: str) -> bool:
    """Whether the customer has a site such as the persona works at, if it works at any."""
    places = {kind for kind, cue in CALLINGS.items() if re.search(cue, persona)}
    owned = {site["kind"] for site in world.rows("sites") if site["customer_id"] == user}
    return not places or not owned.isdisjoint(places)
