"""Programs that find and book a consultation."""

from random import Random

from toolscale.reference.kit import clock, latest_first, must
from toolscale.reference.medicine.programs.shared import (
    AFFORDABLE,
    IN_PERSON_ONLY,
    LANGUAGE,
    NOT_BEFORE,
    VIDEO_ONLY,
    a_patient,
    another_day,
    home_city,
    weekday,
)
from toolscale.reference.program import Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

ANYWHERE = "video"
"""How patients see doctors of other cities: nobody flies to Madrid for a rash."""

SPECIALTIES = ("cardiology", "dermatology", "endocrinology", "neurology", "orthopaedics")


def _book(facts: Facts, slot: Record, referral_id: str | None = None) -> Solution:
    """Book a slot, unless the user's own share is more than they are willing to pay."""
    cost = yield do("estimate_cost", patient_id=facts["patient_id"], slot_id=slot["slot_id"])
    share = f"{cost['patient_share']:.2f}"
    if cost["patient_share"] > facts.get("max_share", 10_000):
        return Reply(f"I booked nothing: your own share would be {share} euros.", (share,))
    booked = yield do(
        "book_appointment", patient_id=facts["patient_id"], slot_id=slot["slot_id"], referral_id=referral_id
    )
    doctor, day, time = booked["practitioner"], booked["start"][:10], clock(booked["start"])
    text = f"You are booked with {doctor} on {day} at {time} ({booked['mode']}); your share is {share} euros."
    return Reply(text, (share,))


def _draw_general(world: World, rng: Random) -> Facts:
    patient = a_patient(world, rng)
    return {
        "patient_id": patient["patient_id"],
        "city": home_city(world, patient),
        "from_date": weekday(rng, 1, 8),
    }


def _see_general_practitioner(facts: Facts) -> Solution:
    slots = yield do(
        "find_open_slots",
        specialty="general practice",
        city=facts["city"],
        mode=facts.get("mode"),
        language=facts.get("language"),
        from_date=facts["from_date"],
    )
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _book(facts, slot))


def _draw_referred(world: World, rng: Random) -> Facts:
    referral = pick(rng, [row for row in world.rows("referrals") if row["status"] == "open"])
    return {"patient_id": referral["patient_id"], "specialty": referral["specialty"]}


def _use_referral(facts: Facts) -> Solution:
    referrals = yield do("list_referrals", patient_id=facts["patient_id"], status="open")
    referral = yield choose(referrals, key=lambda each: latest_first(each["issued_on"]))
    slots = yield do(
        "find_open_slots",
        specialty=referral["specialty"],
        mode=ANYWHERE,
        language=facts.get("language"),
        from_date=facts.get("from_date"),
    )
    slot = yield choose(slots, key=lambda each: (each["fee"], each["start"]))
    return (yield from _book(facts, slot, referral["referral_id"]))


def _earliest_specialist(facts: Facts) -> Solution:
    referrals = yield do("list_referrals", patient_id=facts["patient_id"], status="open")
    referral = yield choose(
        [each for each in referrals if each["specialty"] == facts["specialty"]],
        key=lambda each: latest_first(each["issued_on"]),
    )
    slots = yield do(
        "find_open_slots",
        specialty=facts["specialty"],
        mode=ANYWHERE,
        language=facts.get("language"),
        from_date=facts.get("from_date"),
    )
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _book(facts, slot, referral["referral_id"]))


def _draw_skin(world: World, rng: Random) -> Facts:
    return {
        "patient_id": a_patient(world, rng)["patient_id"],
        "from_date": weekday(rng, 1, 6),
        "to_date": weekday(rng, 8, 18),
    }


def _cheapest_skin_doctor(facts: Facts) -> Solution:
    slots = yield do(
        "find_open_slots",
        specialty="dermatology",
        mode=ANYWHERE,
        language=facts.get("language"),
        from_date=facts["from_date"],
        to_date=facts["to_date"],
    )
    slot = yield choose(slots, key=lambda each: (each["fee"], each["start"]))
    return (yield from _book(facts, slot))


def _draw_seen(world: World, rng: Random) -> Facts:
    visit = pick(rng, [row for row in world.rows("appointments") if row["status"] == "completed"])
    return {"patient_id": visit["patient_id"]}


def _follow_up(facts: Facts) -> Solution:
    visits = yield do("list_appointments", patient_id=facts["patient_id"], status="completed")
    last = yield choose(visits, key=lambda each: latest_first(each["start"]))
    slots = yield do(
        "find_open_slots",
        practitioner_id=last["practitioner_id"],
        mode=facts.get("mode"),
        from_date=facts.get("from_date"),
    )
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _book(facts, slot))


def _draw_offer(world: World, rng: Random) -> Facts:
    return {
        "patient_id": a_patient(world, rng)["patient_id"],
        "specialty": pick(rng, SPECIALTIES),
    }


def _compare_offers(facts: Facts) -> Solution:
    slots = yield do(
        "find_open_slots",
        specialty=facts["specialty"],
        mode=ANYWHERE,
        language=facts.get("language"),
        from_date=facts.get("from_date"),
    )
    offers = []
    for slot in {each["practitioner_id"]: each for each in reversed(slots)}.values():
        cost = yield do("estimate_cost", patient_id=facts["patient_id"], slot_id=slot["slot_id"])
        offers.append({**cost, "start": slot["start"]})
    must(len(offers) >= 2, "nothing to compare")
    best = yield choose(offers, key=lambda each: each["patient_share"])
    doctor, share = best["practitioner"], f"{best['patient_share']:.2f}"
    return Reply(f"{doctor} is the cheapest for you: you would pay {share} euros yourself.", (doctor, share))


APPOINTMENTS = (
    WORDS.program(
        "see_general_practitioner",
        _draw_general,
        _see_general_practitioner,
        (
            VIDEO_ONLY,
            LANGUAGE,
            AFFORDABLE,
            WORDS.twist("later after all", "change_of_mind", another_day("from_date")),
        ),
    ),
    WORDS.program(
        "use_referral_cheaply",
        _draw_referred,
        _use_referral,
        (
            LANGUAGE,
            NOT_BEFORE,
            AFFORDABLE,
            WORDS.twist("a friend's advice", "distractor"),
        ),
    ),
    WORDS.program("earliest_specialist", _draw_referred, _earliest_specialist, (LANGUAGE, NOT_BEFORE, AFFORDABLE)),
    WORDS.program("cheapest_dermatologist", _draw_skin, _cheapest_skin_doctor, (LANGUAGE, AFFORDABLE)),
    WORDS.program("follow_up", _draw_seen, _follow_up, (VIDEO_ONLY, IN_PERSON_ONLY, NOT_BEFORE, AFFORDABLE)),
    WORDS.program("compare_offers", _draw_offer, _compare_offers, (LANGUAGE, NOT_BEFORE)),
)
