"""Programs about scholarships: applying for the best one, and taking an application back."""

from toolscale.reference.education.programs.shared import just_a_student
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, choose, do
from toolscale.reference.sums import shown


def _scholarship(facts: Facts) -> Policy:
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


SCHOLARSHIP = Program(
    "apply_for_scholarship",
    "Apply for the best scholarship that one qualifies for",
    {
        "plain": "Please see which scholarships I qualify for now and apply for the one that gives the most, to be "
        "credited to my {payout}. Which one is it, and how much does it give?",
        "terse": "apply for the biggest scholarship i qualify for, credit it to my {payout}. name + amount?",
        "chatty": "My rent is eating me alive, so is there any scholarship for me? Apply for the one with the most "
        "money, credited to my {payout}, and tell me what it is called and how much it gives!",
        "formal": "I request that you submit, on my behalf, an application for the most generous scholarship whose "
        "conditions I meet, to be credited to my {payout}, and name it and its amount.",
        "non_native": "I need a scholarship, please apply for this which gives the most money and which I can have, to "
        "pay to my {payout}; how is the name and how much is it?",
        "confused": "There are so many scholarships, I only want the one with the most money that I can have, to go to "
        "my {payout}, so apply for it and tell me which it was and how much!",
    },
    lambda world, rng: {**just_a_student(world, rng), "payout": rng.choice(("tuition", "bank account"))},
    _scholarship,
    (
        Twist(
            "the one that closes first",
            "change_of_mind",
            {
                "plain": "No, rather the one with the earliest closing date, the others can wait.",
                "terse": "no: the one closing first.",
                "chatty": "Then again, the others can wait, so go for the one that closes first!",
                "formal": "I should prefer, however, the one whose application period closes first.",
            },
            sets={"soonest": True},
        ),
        Twist(
            "a least amount",
            "condition",
            {
                "plain": "If it gives less than {least:money} EUR, do not apply and only tell me name and amount.",
                "terse": "under {least:money} EUR don't apply, just name + amount.",
                "chatty": "For less than {least:money} EUR I will not bother with it, then just tell me what it is and "
                "what it gives!",
                "formal": "If its amount is below {least:money} EUR, refrain from applying and give name and amount "
                "only.",
            },
            draw=lambda world, rng, facts: {"least": rng.choice((400.0, 500.0, 700.0, 1000.0))},
        ),
    ),
)


def _withdraw_application(facts: Facts) -> Policy:
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


WITHDRAW_APPLICATION = Program(
    "withdraw_application",
    "Withdraw an application for a scholarship that is not decided yet",
    {
        "plain": "I [no longer need|have found other means than] the scholarship that I applied for. Please withdraw "
        "my pending application, the smallest if there are several. Which one was it, and until when could I apply "
        "again?",
        "terse": "withdraw my pending scholarship application (smallest). which + can reapply until?",
        "chatty": "I got the job in the bookshop, so somebody else may have that scholarship! Take back my pending "
        "application, the smallest if there are more, and tell me which it was and until when one can apply again!",
        "formal": "I withdraw my pending application for a scholarship, that for the smallest amount if there be "
        "several; kindly name it and the last day for applying anew.",
        "non_native": "I not need the scholarship more, please take away my application which is not decided, the "
        "smallest one; which one it was and until when I can apply again?",
        "hurried": "Pull my pending scholarship application, the smallest one, which was it and reapply until when?",
    },
    just_a_student,
    _withdraw_application,
    (
        Twist(
            "not if it is much money",
            "condition",
            {
                "plain": "If it is worth more than {most:money} EUR, though, leave it in and tell me name and amount.",
                "terse": "worth over {most:money} EUR? leave it, name + amount.",
                "formal": "An application worth more than {most:money} EUR is to be maintained; state name and amount.",
                "chatty": "Well, if more than {most:money} EUR are at stake, I am not that noble, then leave it and "
                "tell me which it is and how much!",
            },
            draw=lambda world, rng, facts: {"most": rng.choice((700.0, 1200.0, 1500.0, 2000.0))},
        ),
    ),
)

SCHOLARSHIPS = (SCHOLARSHIP, WITHDRAW_APPLICATION)
