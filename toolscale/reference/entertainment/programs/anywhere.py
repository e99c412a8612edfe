"""What can be added to any request of a member's, and how members name a booking without its number."""

from random import Random

from toolscale.reference.entertainment.programs.common import says, show_of
from toolscale.reference.program import DeadEnd, Description, Facts, Policy, Reply, Steps, Twist, World, choose, do


def _joined(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    return Reply(f"You have been a member since {member['joined_on']}.", (member["joined_on"],))


SINCE = Twist(
    "a member since",
    "lookup",
    says(
        "Please also [look up|tell me] since what day I have been a member.",
        "also: member since what day?",
        "And [we had a bet about it at home|time flies so], since what day have I been a member with you?",
        "Kindly also state the date on which I [became|was registered as] a member.",
        "Please say me also from which day I am member.",
    ),
    after=_joined,
)


def _address_is_right(facts: Facts) -> Steps:
    member = yield do("get_member", member_id=facts["member_id"])
    if member["email"] == facts["address"]:
        return None
    return Reply(f"I changed nothing, as we write to {member['email']}.", (member["email"],))


def _draw_address(world: World, rng: Random, facts: Facts) -> Facts:
    """The address on file, or one time in four the one that the member has moved to."""
    member = world.get("members", facts["member_id"])
    if member is None:
        raise DeadEnd("the member is out of sight")
    name, _, host = member["email"].partition("@")
    others = [each for each in ("example.com", "example.net", "example.org") if each != host]
    return {"address": f"{name}@{rng.choice(others)}" if rng.random() < 0.25 else member["email"]}


RIGHT_ADDRESS = Twist(
    "only if the mails arrive",
    "condition",
    says(
        "Do that only if the e-mail address that you have for me is {address}, as the confirmation must reach me; "
        "otherwise [leave it as it is|leave that undone] and tell me the one you have.",
        "this one only if my e-mail with you is {address}, else skip it, tell me which one it is.",
        "But only if your mails go to {address}, or I shall never see a word of it, so otherwise leave it and tell me "
        "where they go!",
        "The foregoing is subject to {address} being the e-mail address on file; failing that, refrain from it and "
        "state the address recorded.",
        "This one do only when my e-mail in your system is {address}, if not leave it and say me which one you have.",
    ),
    draw=_draw_address,
    suits=r"(?!\w*(watchlist|leave_))",
    before=_address_is_right,
)

NEWSLETTER = Twist(
    "a word on the programme",
    "distractor",
    says(
        "By the way, the printed programme [arrives late every month|is nicer than it used to be], but leave that as "
        "it "
        "is.",
        "fyi programme booklet came late again, ignore.",
        "And I must say, your printed programme with the old posters is a delight, my sister keeps every one of them!",
        "Permit me to add that the printed programme is excellent and requires no change.",
        "The printed programme comes always late to me, but is no problem.",
    ),
)


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


SHOW = Description(
    "booking_id",
    {
        "plain": "my booking for {show} on {show_date:date}",
        "chatty": "what I booked for {show} on {show_date:date}",
        "formal": "the booking made for {show} on {show_date:date}",
        "terse": "booking {show}, {show_date:date}",
    },
    _draw_show,
    _find_show,
    "[I do not have the booking number at hand.|I deleted the mail with the booking number.]",
)

TWISTS = (SINCE, RIGHT_ADDRESS, NEWSLETTER)
DESCRIPTIONS = (SHOW,)
