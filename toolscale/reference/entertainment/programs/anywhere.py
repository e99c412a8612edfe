"""What can be added to any request of a member's, and how members name a booking without its number."""

from random import Random

from toolscale.reference.entertainment.programs.common import says, show_of
from toolscale.reference.program import DeadEnd, Description, Facts, Policy, Reply, Steps, Twist, World, choose, do


def _email(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    return Reply(f"We write to {member['email']}.", (member["email"],))


EMAIL = Twist(
    "the address on file",
    "lookup",
    says(
        "Please also [check|tell me] which e-mail address you have for me.",
        "also: which e-mail do you have for me?",
        "And [oh dear, I changed it once|I never get your newsletter], so which e-mail address of mine do you have?",
        "Kindly also state the e-mail address that is [on file|recorded] for me.",
        "Please say me also which e-mail you have of me.",
    ),
    after=_email,
)


def _enough_points(facts: Facts) -> Steps:
    member = yield do("get_member", member_id=facts["member_id"])
    if member["points"] >= facts["points_needed"]:
        return None
    points = f"{member['points']} points"
    return Reply(f"I changed nothing, as you have {points}.", (points,))


ENOUGH_POINTS = Twist(
    "only with so many points",
    "condition",
    says(
        "Do [all of this|that] only if I have {points_needed:int} points or more on my account; otherwise [leave "
        "everything as it is|change nothing] and tell me how many there are.",
        "only if my points are {points_needed:int} or more, else do nothing, tell me how many.",
        "But I am saving up for something, so only if there are {points_needed:int} points or more on my account, "
        "otherwise leave it all and tell me how many there are!",
        "The foregoing is subject to a balance of {points_needed:int} points or more; failing that, refrain from any "
        "change and state the balance.",
        "Do it only when my points are {points_needed:int} or more, if not do nothing and say me how many.",
    ),
    draw=lambda world, rng, facts: {"points_needed": rng.choice((150, 250, 400, 600, 900, 2500))},
    before=_enough_points,
)

NEWSLETTER = Twist(
    "a word on the programme",
    "distractor",
    says(
        "By the way, the printed programme [arrives late every month|is nicer than it used to be], but leave that as "
        "it "
        "is.",
        "fyi programme booklet came late again, ignore.",
        "And I must say, your printed programme with the old posters is a delight, my wife keeps every one of them!",
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

TWISTS = (EMAIL, ENOUGH_POINTS, NEWSLETTER)
DESCRIPTIONS = (SHOW,)
