"""Programs that find and book a consultation."""

from random import Random

from toolscale.reference.medicine.programs.shared import (
    AFFORDABLE,
    IN_PERSON_ONLY,
    LANGUAGE,
    NOT_BEFORE,
    VIDEO_ONLY,
    a_patient,
    another_day,
    clock,
    home_city,
    late_first,
    remark,
    says,
    twist,
    weekday,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick

ANYWHERE = "video"
"""How patients see doctors of other cities: nobody flies to Madrid for a rash."""

SPECIALTIES = ("cardiology", "dermatology", "endocrinology", "neurology", "orthopaedics")


def _and_the_share(voices: dict[str, str]) -> dict[str, str]:
    """The request, with the question for one's own share of the fee."""
    return {voice: f"{text} {_SHARE[voice]}" for voice, text in voices.items()}


_SHARE = says(
    "[What will my own share be?|Tell me what I will have to pay of it myself.|I also want to know my share of the "
    "fee.]",
    "[my share?|what do i pay myself?]",
    "[And what will be my part of the bill?|And do tell me how much of it I have to pay!]",
    "[Kindly state my share of the fee as well.|My own share of the fee is to be stated.]",
    "[and what's my share?|how much is it for me?]",
    "[And how much is my part?|Say me also how much I must pay.]",
    "[And what would I have to pay of it?|And how much of it is mine to pay?]",
)


def _book(facts: Facts, slot: Record, referral_id: str | None = None) -> Policy:
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
        "patient_id": patient["patient_id"], "city": home_city(world, patient), "from_date": weekday(rng, 1, 8),
    }  # fmt: skip


def _see_general_practitioner(facts: Facts) -> Policy:
    slots = yield do(
        "find_open_slots", specialty="general practice", city=facts["city"], mode=facts.get("mode"),
        language=facts.get("language"), from_date=facts["from_date"],
    )  # fmt: skip
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _book(facts, slot))


def _draw_referred(world: World, rng: Random) -> Facts:
    referral = pick(rng, [row for row in world.rows("referrals") if row["status"] == "open"])
    return {"patient_id": referral["patient_id"], "specialty": referral["specialty"]}


def _use_referral(facts: Facts) -> Policy:
    referrals = yield do("list_referrals", patient_id=facts["patient_id"], status="open")
    referral = yield choose(referrals, key=lambda each: late_first(each["issued_on"]))
    slots = yield do(
        "find_open_slots", specialty=referral["specialty"], mode=ANYWHERE, language=facts.get("language"),
        from_date=facts.get("from_date"),
    )  # fmt: skip
    slot = yield choose(slots, key=lambda each: (each["fee"], each["start"]))
    return (yield from _book(facts, slot, referral["referral_id"]))


def _earliest_specialist(facts: Facts) -> Policy:
    referrals = yield do("list_referrals", patient_id=facts["patient_id"], status="open")
    referral = yield choose(
        [each for each in referrals if each["specialty"] == facts["specialty"]],
        key=lambda each: late_first(each["issued_on"]),
    )
    slots = yield do(
        "find_open_slots", specialty=facts["specialty"], mode=ANYWHERE, language=facts.get("language"),
        from_date=facts.get("from_date"),
    )  # fmt: skip
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _book(facts, slot, referral["referral_id"]))


def _draw_skin(world: World, rng: Random) -> Facts:
    return {
        "patient_id": a_patient(world, rng)["patient_id"], "from_date": weekday(rng, 1, 6),
        "to_date": weekday(rng, 8, 18),
    }  # fmt: skip


def _cheapest_skin_doctor(facts: Facts) -> Policy:
    slots = yield do(
        "find_open_slots", specialty="dermatology", mode=ANYWHERE, language=facts.get("language"),
        from_date=facts["from_date"], to_date=facts["to_date"],
    )  # fmt: skip
    slot = yield choose(slots, key=lambda each: (each["fee"], each["start"]))
    return (yield from _book(facts, slot))


def _draw_seen(world: World, rng: Random) -> Facts:
    visit = pick(rng, [row for row in world.rows("appointments") if row["status"] == "completed"])
    return {"patient_id": visit["patient_id"]}


def _follow_up(facts: Facts) -> Policy:
    visits = yield do("list_appointments", patient_id=facts["patient_id"], status="completed")
    last = yield choose(visits, key=lambda each: late_first(each["start"]))
    slots = yield do(
        "find_open_slots", practitioner_id=last["practitioner_id"], mode=facts.get("mode"),
        from_date=facts.get("from_date"),
    )  # fmt: skip
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _book(facts, slot))


def _draw_offer(world: World, rng: Random) -> Facts:
    return {
        "patient_id": a_patient(world, rng)["patient_id"], "specialty": pick(rng, SPECIALTIES),
    }  # fmt: skip


def _compare_offers(facts: Facts) -> Policy:
    slots = yield do(
        "find_open_slots", specialty=facts["specialty"], mode=ANYWHERE, language=facts.get("language"),
        from_date=facts.get("from_date"),
    )  # fmt: skip
    offers = []
    for slot in {each["practitioner_id"]: each for each in reversed(slots)}.values():
        cost = yield do("estimate_cost", patient_id=facts["patient_id"], slot_id=slot["slot_id"])
        offers.append({**cost, "start": slot["start"]})
    if len(offers) < 2:
        raise DeadEnd("nothing to compare")
    best = yield choose(offers, key=lambda each: each["patient_share"])
    doctor, share = best["practitioner"], f"{best['patient_share']:.2f}"
    return Reply(f"{doctor} is the cheapest for you: you would pay {share} euros yourself.", (doctor, share))


APPOINTMENTS = (
    Program(
        "see_general_practitioner",
        "See a general practitioner in one's own city as early as possible",
        _and_the_share(says(
            "[Please|I would like you to|Be so kind as to] book me the earliest appointment with a general "
            "practitioner in {city}, from {from_date:date} on.",
            "gp in {city}, earliest slot from {from_date:date}, book it.",
            "I've been feeling off for a while and should really see a GP here in {city}, so [could you|would you|can "
            "you] book me the very first free one, anything from {from_date:date} on?",
            "I should like to be given the earliest available general practice appointment in {city} on or after "
            "{from_date:date}.",
            "need a GP in {city} asap, {from_date:date} or after, just book the first one!",
            "I want please the first free time by a family doctor in {city}, not before {from_date:date}.",
            confused="I think I need a GP in {city}, the first one who is free from {from_date:date} on, [can you put "
            "me down for that|could you book that]?",
        )),
        _draw_general,
        _see_general_practitioner,
        (
            VIDEO_ONLY,
            LANGUAGE,
            AFFORDABLE,
            twist("later after all", "change_of_mind", says(
                "Sorry, I misread my diary: make that from {from_date:date} on.",
                "correction: from {from_date:date}.",
                "Oh wait, silly me, that week is full; let's start looking from {from_date:date} instead.",
                "I must correct myself: the date to start from is {from_date:date}.",
            ), another_day("from_date")),
        ),
    ),
    Program(
        "use_referral_cheaply",
        "Use the latest open referral for the specialist with the lowest fee",
        _and_the_share(says(
            "I have an open referral, the latest one counts. Please book the specialist with the lowest fee for it, "
            "by video; with several times, take the earliest.",
            "use my newest referral: lowest fee, by video, earliest time of that doctor. book.",
            "My GP gave me a referral the other day, and I'd love to use the newest one with whoever charges least "
            "(by video please, and the first time that doctor has)!",
            "[Kindly|Please|I ask you to] redeem my most recent open referral with the physician charging the lowest "
            "fee, consultation by video, at that physician's earliest time.",
            "got a referral (newest one), book whoever charges least, by video, first time they have!",
            non_native="I have open referral, I want to use the most new one: the specialist with the smallest fee, "
            "by video, the first time of this doctor, please book.",
            confused="I have been given several papers, but my newest open referral is the one: [could you|would "
            "you|can you] book the specialist with the lowest fee for it, by video, at the first time that doctor has?",
        )),
        _draw_referred,
        _use_referral,
        (
            LANGUAGE,
            NOT_BEFORE,
            AFFORDABLE,
            remark(
                "a friend's advice",
                "A friend told me that private doctors are better, but I do not believe it.",
                "friend says go private. no.",
                "My friend Jutta swears by her private heart man, but honestly I'd rather stick with you.",
            ),
        ),
        unknown="I do not remember which specialty the referral is for.",
    ),
    Program(
        "earliest_specialist",
        "Get to a certain specialist as soon as possible with a referral at hand",
        _and_the_share(says(
            "I have a referral for {specialty}. Please book me the earliest video consultation with any doctor of the "
            "network.",
            "have a {specialty} referral, earliest video slot, any city, book.",
            "So my doctor is sending me off to {specialty}, referral and all, and by video I'd take anybody if it's "
            "quick: "
            "could you book the very first time there is?",
            "Holding a referral for {specialty}, I request the earliest available consultation by video, irrespective "
            "of "
            "location.",
            "got to see {specialty} with my referral, soonest possible, by video, any doctor, please book!",
            "I have referral for {specialty} and I want the most early time by video, the city is not important.",
            confused="There is a referral for {specialty} with my papers, so I must go there, do I not? The first free "
            "time by video, in any city, [please book that|that one please].",
        )),
        _draw_referred,
        _earliest_specialist,
        (LANGUAGE, NOT_BEFORE, AFFORDABLE),
    ),
    Program(
        "cheapest_dermatologist",
        "Have one's skin looked at between two dates for the lowest fee",
        _and_the_share(says(
            "I need to see a dermatologist by video between {from_date:date} and {to_date:date}. Book the one with "
            "the lowest fee, "
            "and of that doctor's times the earliest.",
            "dermatologist by video, {from_date:date} to {to_date:date}, lowest fee then earliest, book.",
            "There's a mole on my back I don't like, so please find me the least expensive dermatologist for a video "
            "call from "
            "{from_date:date} to {to_date:date} and book their first free time.",
            "[Please|Kindly] arrange a dermatology consultation by video from {from_date:date} through {to_date:date} "
            "with the "
            "physician charging the lowest fee, at the earliest of their times.",
            "skin doctor by video with lowest fee, {from_date:date} until {to_date:date}, first time they have, go!",
            non_native="I need doctor for skin, by video, between {from_date:date} and {to_date:date}. Book the one "
            "with "
            "smallest fee, the first time of this doctor.",
            confused="It is about my skin, so a dermatologist by video, I suppose, some day from {from_date:date} to "
            "{to_date:date}: the one with the lowest fee, and the first time that this one has, please book it.",
        )),
        _draw_skin,
        _cheapest_skin_doctor,
        (LANGUAGE, AFFORDABLE),
    ),
    Program(
        "follow_up",
        "Come back to the doctor of the last visit",
        _and_the_share(says(
            "[Please|I would like you to|Be so kind as to] book me a follow-up with the doctor whom I saw last, at the "
            "first free time.",
            "follow-up, same doctor as last visit, first free slot.",
            "The doctor I saw last time was lovely, could I come back to that same one at the first opportunity?",
            "I request a follow-up consultation with the physician of my most recent visit, at the earliest time.",
            "follow-up with whoever i saw last, first free time please!",
            "I want to come again by the same doctor like last time, the first free time.",
            confused="I was told to come again to the doctor whom I saw last, I believe. The first free time will do, "
            "please book it.",
        )),
        _draw_seen,
        _follow_up,
        (VIDEO_ONLY, IN_PERSON_ONLY, NOT_BEFORE, AFFORDABLE),
        unknown="I do not remember the doctor's name.",
    ),
    Program(
        "compare_offers",
        "Find out which specialist would cost the patient least after insurance",
        says(
            "Which doctor in {specialty} would cost me the least out of my own pocket, consultation by video, taking "
            "each one's first free time, and how much?",
            "compare {specialty}, by video, each doctor's first slot: who is cheapest for me after insurance and what "
            "do "
            "i pay?",
            "I'm thinking of seeing someone in {specialty}, by video, and wonder who'd be the kindest to my purse "
            "once the insurance has paid its bit, going by the first time each of them has, and what I'd be left "
            "with?",
            "[Kindly|Please|I ask you to] establish which physician in {specialty} (by video) would leave me with the "
            "smallest share after insurance, judging by each one's earliest time, and state that share.",
            "{specialty} by video, first slot of each doctor, who leaves me paying least and how much?",
            non_native="Which doctor of {specialty} is the most cheap for me after insurance, by video, when I take "
            "from "
            "everyone the first free time, and how much I pay?",
            confused="Who in {specialty} would be cheapest for me, I mean after the insurance, by video, if I take the "
            "first free time of each, and what would I pay then?",
        ),
        _draw_offer,
        _compare_offers,
        (LANGUAGE, NOT_BEFORE),
    ),
)  # fmt: skip
