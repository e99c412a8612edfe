"""Programs about scholarships: applying for the best one, and taking an application back."""

from toolscale.reference.education.programs.shared import just_a_student
from toolscale.reference.program import Facts, Reply, Solution, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _scholarship(facts: Facts) -> Solution:
    open_ = yield do("list_scholarships", student_id=facts["student_id"])
    if facts.get("soonest"):
        chosen = yield choose(open_, key=lambda each: each["apply_until"])
    else:
        chosen = yield choose(open_, key=lambda each: -each["amount"])
    amount = shown(chosen["amount"])
    if chosen["amount"] < facts.get("least", 0):
        return Reply(f"I did not apply: the {chosen['name']} gives {amount} EUR.", (chosen["name"], amount))
    done = yield do(
        "apply_for_scholarship",
        student_id=facts["student_id"],
        scholarship_id=chosen["scholarship_id"],
        payout=facts["payout"],
    )
    text = f"You applied for the {done['name']} of {amount} EUR ({done['application_id']})."
    return Reply(text, (done["name"], amount))


SCHOLARSHIP = WORDS.program(
    "apply_for_scholarship",
    lambda world, rng: {**just_a_student(world, rng), "payout": rng.choice(("tuition", "bank account"))},
    _scholarship,
    (
        WORDS.twist("the one that closes first", "change_of_mind", sets={"soonest": True}),
        WORDS.twist(
            "a least amount",
            "condition",
            draw=lambda world, rng, facts: {"least": rng.choice((400.0, 500.0, 700.0, 1000.0))},
        ),
    ),
)


def _withdraw_application(facts: Facts) -> Solution:
    listed = yield do("list_applications", student_id=facts["student_id"])
    pending = [each for each in listed if each["status"] == "submitted"]
    chosen = yield choose(pending, key=lambda each: each["amount"])
    found = yield do("find_scholarship", name=chosen["name"])
    scholarship = yield choose(found, key=lambda each: each["scholarship_id"])
    until, amount = scholarship["apply_until"], shown(chosen["amount"])
    if chosen["amount"] > facts.get("most", chosen["amount"]):
        return Reply(f"I left it: the {chosen['name']} gives {amount} EUR.", (chosen["name"], amount))
    done = yield do("withdraw_application", application_id=chosen["application_id"])
    text = f"Your application for the {done['name']} is withdrawn; you can apply again until {until}."
    return Reply(text, (done["name"], until))


WITHDRAW_APPLICATION = WORDS.program(
    "withdraw_application",
    just_a_student,
    _withdraw_application,
    (
        WORDS.twist(
            "not if it is much money",
            "condition",
            draw=lambda world, rng, facts: {"most": rng.choice((700.0, 1200.0, 1500.0, 2000.0))},
        ),
    ),
)

SCHOLARSHIPS = (SCHOLARSHIP, WITHDRAW_APPLICATION)
