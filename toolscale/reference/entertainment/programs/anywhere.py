"""What can be added to any request of a member's, and how members name a booking without its number."""

from random import Random

from toolscale.reference.entertainment.programs.common import show_of
from toolscale.reference.kit import known
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, Steps, World, choose, do
from toolscale.reference.words import words

WORDS = words(__file__)


def _joined(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    return Reply(f"You have been a member since {member['joined_on']}.", (member["joined_on"],))


SINCE = WORDS.twist("a member since", "lookup", after=_joined)


def _address_is_right(facts: Facts) -> Steps:
    member = yield do("get_member", member_id=facts["member_id"])
    if member["email"] == facts["address"]:
        return None
    return Reply(f"I changed nothing, as we write to {member['email']}.", (member["email"],))


def _draw_address(world: World, rng: Random, facts: Facts) -> Facts:
    """The address on file, or one time in four the one that the member has moved to."""
    member = known(world, "members", facts["member_id"])
    name, _, host = member["email"].partition("@")
    others = [each for each in ("example.com", "example.net", "example.org") if each != host]
    return {"address": f"{name}@{rng.choice(others)}" if rng.random() < 0.25 else member["email"]}


RIGHT_ADDRESS = WORDS.twist(
    "only if the mails arrive",
    "condition",
    draw=_draw_address,
    suits=r"(?!\w*(watchlist|leave_))",
    before=_address_is_right,
)

NEWSLETTER = WORDS.twist("a word on the programme", "distractor")


def _draw_show(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("bookings", facts["booking_id"])
    performance = world.get("performances", booking["performance_id"]) if booking else None
    if booking is None or performance is None or booking["status"] != "confirmed":
        raise DeadEnd("no confirmed booking, or out of sight")
    return {"show": show_of(world, performance)["title"], "show_date": performance["starts_at"][:10]}


def _find_show(facts: Facts) -> Steps:
    bookings = yield do("list_bookings", member_id=facts["member_id"])
    wanted = (facts["show"], facts["show_date"])
    matching = [each for each in bookings if (each["title"], each["starts_at"][:10]) == wanted]
    booking = yield choose(matching, key=lambda each: each["starts_at"])
    return booking["booking_id"]


SHOW = WORDS.description("booking_id", _draw_show, _find_show)

TWISTS = (SINCE, RIGHT_ADDRESS, NEWSLETTER)
DESCRIPTIONS = (SHOW,)
