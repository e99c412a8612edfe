"""Programs about compensation for journeys that arrived late."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do
from toolscale.reference.railway.programs.common import (
    FLYING,
    Record,
    Step,
    a_booking,
    a_least,
    closing,
    several,
    unless,
)

PAYOUTS = {"bank transfer": "bank_transfer", "voucher": "voucher"}


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
    due = yield do("check_compensation", booking_id=facts["booking_id"])
    if not due["eligible"]:
        raise DeadEnd("nothing is due")
    text, tell = yield from _file(facts, due)
    return (yield from closing(facts, text, tell))


_TOO_OLD = day(-89)
"""Claims for journeys of that day or before come too late."""


def _draw_claim(world: World, rng: Random) -> Facts:
    claimed = {each["booking_id"] for each in world.rows("claims")}
    excused = {each["service_id"] for each in world.rows("disruptions") if each["extraordinary"]}

    def due(booking: Record, service: Record) -> bool:
        excluded = booking["booking_id"] in claimed or service["service_id"] in excused
        return service["delay_minutes"] >= 60 and service["travel_date"] > _TOO_OLD and not excluded

    return {**a_booking(world, rng, "travelled", due), "way": rng.choice(sorted(PAYOUTS))}


def _draw_claimant(world: World, rng: Random) -> Facts:
    return {"passenger_id": _draw_claim(world, rng)["passenger_id"]}


LEAST = Twist(
    "a least compensation",
    "condition",
    {
        "plain": "If the compensation is less than {least:money} EUR, do not file anything and only tell me the sum.",
        "terse": "below {least:money} EUR don't file, just tell me the sum.",
        "chatty": "For less than {least:money} EUR it is not worth the fuss, in that case skip it and only tell me "
        "the sum!",
        "formal": "Should the compensation be below {least:money} EUR, no claim is to be filed and only the sum "
        "reported.",
    },
    draw=a_least(0.25),
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
    draw=unless("way", "voucher"),
    sets={"payout": "voucher"},
)

CLAIM = Program(
    "claim_compensation",
    "Claim compensation for a journey that arrived late",
    {
        "plain": "[My train on {booking_id} was badly delayed|We arrived very late on {booking_id}]. Please claim the "
        "compensation by {way} and tell me the claim number and the amount.",
        "terse": "delay compensation for {booking_id}, by {way}. claim no. + amount?",
        "chatty": "What a journey that was on {booking_id}, we crawled for hours! I should get something for it, by "
        "{way} please, and what are the claim number and the amount?",
        "formal": "I hereby claim compensation for the delay suffered under {booking_id}, payable by {way}; please "
        "state the claim number and the amount.",
        "hurried": "Late train, {booking_id}, file my compensation by {way}, number and amount please!",
        "non_native": "The train of {booking_id} came with much delay, I want compensation by {way}; which number has "
        "the claim and how much is?",
    },
    _draw_claim,
    _claim,
    (
        PAID_AS_VOUCHER,
        LEAST,
    ),
    again="booking_id",
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
    if not due:
        raise DeadEnd("nothing is due")
    if facts.get("longest_delay"):
        best = yield choose(several(due), key=lambda each: -each["delay_minutes"])
    else:
        best = yield choose(due, key=lambda each: -each["amount"])
    text, heard = yield from _file({"way": "bank transfer", **facts}, best)
    return (yield from closing(facts, f"It is {best['booking_id']}. {text}", (best["booking_id"], heard[0])))


CLAIM_LARGEST = Program(
    "claim_largest",
    "Claim compensation for the late journey that brings the most",
    {
        "plain": "[Some of my journeys were badly late|I have had my share of late trains]. [File a claim|Please make "
        "a claim] for the one journey with the highest compensation, by bank transfer, and tell me which it is and "
        "the claim number.",
        "terse": "claim only my best-paying late trip, bank transfer. which one, claim no.?",
        "chatty": "Honestly, your trains and I have had a rough autumn! Pick the late trip that pays the most and "
        "claim that by bank transfer, then tell me which booking and claim number!",
        "formal": "Of my journeys that were subject to delay, please submit a claim for that with the highest "
        "compensation, by bank transfer, and name the booking and the claim.",
        "hurried": "Claim just my best-paying late journey, bank transfer! Which booking, what claim number?",
        "non_native": "Some my travels had much delay. Make one claim, for the travel which gives the biggest money, "
        "with bank transfer. Which booking and which claim number?",
    },
    _draw_claimant,
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
        FLYING,
    ),
    unknown="I do not know the booking numbers.",
)


def _claim_all(facts: Facts) -> Policy:
    due = yield from _all_due(facts)
    worthwhile = [each for each in due if each["amount"] >= facts.get("least", 0)]
    if not worthwhile:
        raise DeadEnd("nothing is due")
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for each in worthwhile:
        text, heard = yield from _file(facts, each)
        texts.append(f"{each['booking_id']}: {text}")
        tell += (each["booking_id"], *heard)
    return (yield from closing(facts, " ".join(texts), tell))


CLAIM_ALL = Program(
    "claim_all",
    "Claim the compensation for every late journey for which some is due",
    {
        "plain": "[I never claimed anything|I have let this slide], so please go through the journeys that I made and "
        "claim compensation by {way} wherever some is due. [Which bookings are they, and what are the claim numbers "
        "and amounts?|Tell me the bookings, claim numbers and amounts.]",
        "terse": "go thru my past trips, claim whatever compensation is due, by {way}. bookings, claim nos, amounts?",
        "chatty": "[A friend got money back for a late train|I read that one can claim for late trains]! Would you "
        "look at all my journeys so far and claim whatever is still due to me, by {way}? And let me have the "
        "bookings, the claim numbers and the amounts.",
        "formal": "Please examine all journeys that I have made and claim, payable by {way}, every compensation still "
        "due, naming the bookings, the claims and the amounts.",
        "non_native": "Look please in all travels I did, and where compensation is due make the claim, payment by "
        "{way}. Say me the bookings, numbers of claim, and how much.",
        "confused": "Some of my trains were late, I do not know any more which, so claim what is still due for all my "
        "journeys by {way} please, and tell me for which bookings, with claim numbers and amounts.",
    },
    lambda world, rng: {**_draw_claimant(world, rng), "way": rng.choice(sorted(PAYOUTS))},
    _claim_all,
    (
        PAID_AS_VOUCHER,
        Twist(
            "only what is worth it",
            "condition",
            {
                "plain": "Leave out those that bring less than {least:money} EUR.",
                "terse": "skip those under {least:money} EUR.",
                "chatty": "The ones that bring less than {least:money} EUR are not worth the bother, skip those!",
                "formal": "Claims of less than {least:money} EUR are not to be made.",
            },
            draw=lambda world, rng, facts: {"least": rng.choice((8.0, 10.0, 15.0, 20.0, 25.0))},
        ),
        FLYING,
    ),
    unknown="[I do not know the booking numbers.|I have kept none of the tickets.]",
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
        "was the longest of those delays? [Do not file anything yet.|I only want to know, do not claim yet.]",
        "terse": "total claimable compensation on my past trips + booking with longest delay? don't file.",
        "chatty": "I am doing my accounts! What would all my late trips together still bring in compensation, and "
        "which booking was the longest wait of those? No claims just yet, please.",
        "formal": "Please compute the compensation still open on all my past journeys and identify the booking with "
        "the longest such delay, without submitting claims.",
        "non_native": "How much compensation can I get from all travels I did, the sum, and which of these bookings "
        "had the most delay? Do not make the claims now.",
        "confused": "I lost count of my late trains, so how much compensation could I still get for all my journeys "
        "together, and on which booking was the longest of those delays? Do not claim anything yet.",
    },
    _draw_claimant,
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
    ),
    unknown="I do not have the booking numbers here.",
)


COMPENSATION = (CLAIM, CLAIM_LARGEST, CLAIM_ALL, SUM_DUE)
