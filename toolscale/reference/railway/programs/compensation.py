"""Programs about compensation for journeys that arrived late."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do
from toolscale.reference.railway.programs.common import (
    CARD,
    COFFEE,
    FLYING,
    POINTS,
    Record,
    Step,
    a_booking,
    an_account,
    another_booking,
    closing,
)

PAYOUTS = {"bank transfer": "bank_transfer", "voucher": "voucher"}


def _late(booking: Record, service: Record) -> bool:
    return bool(service["delay_minutes"] >= 60)


def _file(facts: Facts, due: Record) -> Step:
    """File a claim for what is due, unless the user finds it too little."""
    amount = f"{due['amount']:.2f}"
    if due["amount"] < facts.get("least", 0):
        return f"I filed nothing for {due['booking_id']}: you would get {amount} EUR.", (amount,)
    claim = yield do(
        "file_compensation_claim",
        booking_id=due["booking_id"],
        payout=facts.get("payout") or PAYOUTS[facts["way"]],
    )
    text = f"Claim {claim['claim_id']} is filed for {amount} EUR."
    if claim["voucher_id"]:
        text = f"{text} Your voucher is {claim['voucher_id']}."
    return text, (claim["claim_id"], amount)


def _claim(facts: Facts) -> Policy:
    found = []
    for booking_id in (facts["booking_id"], *([facts["other_booking"]] if "other_booking" in facts else [])):
        found.append((yield do("check_compensation", booking_id=booking_id)))
    if not all(due["eligible"] for due in found):
        raise DeadEnd("nothing is due")
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for due in found:
        text, heard = yield from _file(facts, due)
        texts.append(text)
        tell += heard
    return (yield from closing(facts, " ".join(texts), tell))


def _draw_claim(world: World, rng: Random) -> Facts:
    return {**a_booking(world, rng, "travelled", _late), "way": rng.choice(sorted(PAYOUTS))}


LEAST = Twist(
    "a least compensation",
    "condition",
    {
        "plain": "If it is less than {least:money} EUR, do not file anything and only tell me the sum.",
        "terse": "below {least:money} EUR don't file, just tell me the sum.",
        "chatty": "For less than {least:money} EUR it is not worth the fuss, in that case skip it and only tell me "
        "the sum!",
        "formal": "Should the sum be below {least:money} EUR, no claim is to be filed and only the sum reported.",
    },
    draw=lambda world, rng, facts: {"least": rng.choice((12.00, 19.50, 31.00, 46.50))},
)
PAID_AS_VOUCHER = Twist(
    "a voucher rather than money",
    "change_of_mind",
    {
        "plain": "Whatever I said about the payout, I will take it as a voucher.",
        "terse": "payout as voucher after all.",
        "chatty": "Oh, my next trip is round the corner, so do pay it out as a voucher after all!",
        "formal": "With regard to the payout, I have settled on a voucher.",
        "hurried": "No wait, pay it as a voucher!",
    },
    sets={"payout": "voucher"},
)

CLAIM = Program(
    "claim_compensation",
    "Claim compensation for a journey that arrived late",
    {
        "plain": "My train on booking {booking_id} was badly delayed. Please claim the compensation by {way} and tell "
        "me the claim number and the amount.",
        "terse": "delay compensation for {booking_id}, by {way}. claim no. + amount?",
        "chatty": "What a journey that was on {booking_id}, we crawled for hours! I should get something for it, by "
        "{way} please, and what are the claim number and the amount?",
        "formal": "I hereby claim compensation for the delay suffered under booking {booking_id}, payable by {way}; "
        "please state the claim number and the amount.",
        "hurried": "Late train, {booking_id}, file my compensation by {way}, number and amount please!",
        "non_native": "The train of {booking_id} came with much delay, I want compensation by {way}; which number has "
        "the claim and how much is?",
    },
    _draw_claim,
    _claim,
    (
        PAID_AS_VOUCHER,
        LEAST,
        Twist(
            "another late journey too",
            "entities",
            {
                "plain": "Booking {other_booking} was no better: claim for it as well.",
                "terse": "claim for {other_booking} too.",
                "chatty": "And do not get me started on {other_booking}, so claim for that one too!",
                "formal": "A claim is also made for booking {other_booking}.",
            },
            draw=another_booking,
        ),
        POINTS,
        COFFEE,
    ),
)


def _all_due(facts: Facts) -> Step:
    """What is due for each journey made."""
    travelled = yield do("list_bookings", passenger_id=facts["passenger_id"], status="travelled")
    found = []
    for booking in travelled:
        found.append((yield do("check_compensation", booking_id=booking["booking_id"])))
    return [due for due in found if due["eligible"]]


def _claim_largest(facts: Facts) -> Policy:
    due = yield from _all_due(facts)
    if len(due) < 2:
        raise DeadEnd("nothing to compare")
    if facts.get("longest_delay"):
        best = yield choose(due, key=lambda each: -each["delay_minutes"])
    else:
        best = yield choose(due, key=lambda each: -each["amount"])
    text, heard = yield from _file({"way": "bank transfer", **facts}, best)
    return (yield from closing(facts, f"It is {best['booking_id']}. {text}", (best["booking_id"], heard[0])))


CLAIM_LARGEST = Program(
    "claim_largest",
    "Claim compensation for the late journey that brings the most",
    {
        "plain": "Several of my recent trains were late. File a claim for the one journey with the highest "
        "compensation, by bank transfer, and tell me which it is and the claim number.",
        "terse": "claim only my best-paying late trip, bank transfer. which one, claim no.?",
        "chatty": "Honestly, your trains and I have had a rough autumn! Pick the late trip that pays the most and "
        "claim that by bank transfer, then tell me which booking and claim number!",
        "formal": "Of my journeys that were subject to delay, please submit a claim for that with the highest "
        "compensation, by bank transfer, and name the booking and the claim.",
        "non_native": "Many my trains were with delay. Make one claim, for the travel which gives the biggest money, "
        "with bank transfer. Which booking and which claim number?",
    },
    an_account,
    _claim_largest,
    (
        Twist(
            "the longest delay instead",
            "change_of_mind",
            {
                "plain": "No, take the journey with the longest delay, even if it pays less.",
                "terse": "longest delay instead, never mind the money.",
                "chatty": "Oh, it is the principle that counts, so take the one with the longest delay even if it "
                "brings less!",
                "formal": "Rather, the journey with the longest delay shall be the one claimed for.",
            },
            sets={"longest_delay": True},
        ),
        PAID_AS_VOUCHER,
        LEAST,
        CARD,
        FLYING,
    ),
    unknown="I do not know the booking numbers.",
)


def _sum_due(facts: Facts) -> Policy:
    due = yield from _all_due(facts)
    if facts.get("two_hours"):
        due = [each for each in due if each["delay_minutes"] >= 120]
    if not due:
        raise DeadEnd("nothing is due")
    total = f"{sum(each['amount'] for each in due):.2f}"
    worst = yield choose(due, key=lambda each: -each["delay_minutes"])
    text = f"{total} EUR are due in all; the longest delay was on {worst['booking_id']}."
    return (yield from closing(facts, text, (total, worst["booking_id"])))


SUM_DUE = Program(
    "total_compensation",
    "Find out how much compensation is still open over all past journeys",
    {
        "plain": "How much compensation could I still claim for all my past journeys together, and on which booking "
        "was the longest of those delays? Do not file anything yet.",
        "terse": "total claimable compensation on my past trips + booking with longest delay? don't file.",
        "chatty": "I am doing my accounts! What would all my late trips together still bring in compensation, and "
        "which booking was the longest wait of those? No claims just yet, please.",
        "formal": "Please compute the compensation still open on all my past journeys and identify the booking with "
        "the longest such delay, without submitting claims.",
        "non_native": "How much compensation can I get from all travels I did, the sum, and which of these bookings "
        "had the most delay? Do not make the claims now.",
    },
    an_account,
    _sum_due,
    (
        Twist(
            "only the very late ones",
            "constraint",
            {
                "plain": "Count only delays of at least two hours.",
                "terse": "only delays of 2 hours and more.",
                "chatty": "The smaller ones I forgive you, so count only those of two hours and more!",
                "formal": "Only delays of no less than two hours are to be taken into account.",
            },
            sets={"two_hours": True},
        ),
        POINTS,
        CARD,
        COFFEE,
    ),
    unknown="I do not have the booking numbers here.",
)


COMPENSATION = (CLAIM, CLAIM_LARGEST, SUM_DUE)
