"""What customers hold: accounts, the cards on them, loans, and fixed deposits."""

from datetime import date
from typing import Any

from toolscale.reference.finance.catalogue import ACCOUNT_NAMES, CURRENCIES, LOAN_PURPOSES, OFFERS, SCALE
from toolscale.reference.finance.ibans import iban
from toolscale.reference.finance.ledger import Ledger, Record, months_later
from toolscale.reference.moments import TODAY, age, day, some_day
from toolscale.reference.sums import rounded


def accounts(ledger: Ledger, customer: Record, currency: str, turn: int) -> list[Record]:
    """Two to five accounts; the first is the current account that everything else hangs on."""
    rng = ledger.rng
    wanted = [("PR-CURRENT", ACCOUNT_NAMES["current"][0], currency)]
    if turn % 5 != 2:
        wanted.append(("PR-CURRENT", rng.choice(ACCOUNT_NAMES["current"][1:]), currency))
    labels = iter(rng.sample(ACCOUNT_NAMES["savings"][: 6 if age(customer["birth_date"]) > 55 else 5], 3))
    if turn % 4 != 1:
        wanted.append(("PR-INSTANT", next(labels), currency))
    if turn % 3:
        wanted.append(("PR-BONUS", next(labels), currency))
    elif age(customer["birth_date"]) <= 27:
        wanted.append(("PR-YOUNG", next(labels), currency))
    if turn % 3 == 2:
        wanted.append(("PR-CURRENT", "Travel money", "USD" if currency == "EUR" else "EUR"))
    return [_account(ledger, customer, at, turn, *each) for at, each in enumerate(wanted)]


def _account(
    ledger: Ledger, customer: Record, at: int, turn: int, product_id: str, label: str, currency: str
) -> Record:
    rng, scale, current = ledger.rng, SCALE[currency], product_id == "PR-CURRENT"
    overdraft = ledger.round_sum(300, 1500, scale, 100) if current and label == "Everyday" else 0.0
    low, high = (900, 7200) if at == 0 else (150, 3800) if current else (600, 14000)
    balance = ledger.sum_of(low, high, scale)
    if at == 0 and turn % 9 == 4:
        balance = -ledger.sum_of(40, 280, scale)
    most = {"PR-BONUS": 2, "PR-YOUNG": 3}.get(product_id)
    used = 0 if current else rng.randint(0, most) if most else rng.randint(0, 4)
    return ledger.add(
        "accounts",
        {
            "account_id": ledger.ids.digits("AC"),
            "customer_id": customer["customer_id"],
            "product_id": product_id,
            "label": label,
            "iban": iban(rng, customer["country"]),
            "currency": currency,
            "balance": balance,
            "overdraft_limit": overdraft,
            "withdrawals_this_month": most if most and rng.random() < 0.6 else used,
            "status": "frozen" if at > 1 and turn % 8 == 5 else "active",
            "opened_on": day(-rng.randrange(120, 480)) if at else customer["customer_since"],
            "closed_into": None,
        },
    )


def cards(ledger: Ledger, customer: Record, held: list[Record], turn: int) -> list[Record]:
    """A debit card for each current account in the customer's own currency, a credit card for most customers."""
    own = [each for each in held if each["product_id"] == "PR-CURRENT" and each["currency"] == held[0]["currency"]]
    wanted = [(account, "debit") for account in own] + ([(own[0], "credit")] if turn % 4 != 2 else [])
    found: list[Record] = []
    for at, (account, kind) in enumerate(wanted):
        found.append(_card(ledger, customer, account, kind, (turn + at * 3) % 8, {each["last4"] for each in found}))
    return found


def _card(ledger: Ledger, customer: Record, account: Record, kind: str, fate: int, taken: set[str]) -> Record:
    rng = ledger.rng
    while (last4 := f"{rng.randrange(1000, 10000)}") in taken:
        pass
    expires = months_later(
        TODAY.replace(day=1).isoformat(), rng.randint(1, 3) if fate in (0, 4) else rng.randint(4, 48)
    )
    return ledger.add(
        "cards",
        {
            "card_id": ledger.ids.digits("CD"),
            "customer_id": customer["customer_id"],
            "account_id": account["account_id"],
            "kind": kind,
            "last4": last4,
            "status": {1: "frozen", 2: "frozen", 3: "stolen", 6: "lost"}.get(fate, "active"),
            "daily_limit": ledger.round_sum(300, 2000, SCALE[account["currency"]], 100),
            "online": rng.random() < 0.7,
            "abroad": rng.random() < 0.4,
            "contactless": rng.random() < 0.8,
            "expires_on": months_later(expires, 0)[:8] + "28",
            "arrives_on": None,
            "replaced_by": None,
        },
    )


def loans(ledger: Ledger, customer: Record, held: list[Record], turn: int) -> None:
    """Up to two instalment loans, paid from the first account."""
    for purpose in ledger.rng.sample(LOAN_PURPOSES, (1, 2, 2, 1, 2, 0, 2)[turn % 7]):
        _loan(ledger, customer, held[0], purpose, turn)


def _loan(ledger: Ledger, customer: Record, account: Record, purpose: str, turn: int) -> None:
    rng = ledger.rng
    months, percent = rng.choice((24, 36, 48, 60, 84)), round(rng.uniform(3.4, 7.9), 2)
    principal = ledger.round_sum(3000, 24000, SCALE[account["currency"]], 500)
    made = rng.randint(3, min(months - 8, (TODAY - date.fromisoformat(account["opened_on"])).days // 31))
    monthly = annuity(principal, percent, months)
    owed = principal * (1 + percent / 1200) ** made - monthly * ((1 + percent / 1200) ** made - 1) / (percent / 1200)
    deferred = day(-rng.randrange(40, 320)) if rng.random() < 0.4 and made > 12 else None
    ledger.add(
        "loans",
        {
            "loan_id": ledger.ids.digits("LN"),
            "customer_id": customer["customer_id"],
            "account_id": account["account_id"],
            "purpose": purpose,
            "principal": principal,
            "outstanding": rounded(owed),
            "interest_percent": percent,
            "rate_type": rng.choice(("fixed", "fixed", "variable")),
            "monthly_payment": monthly,
            "next_payment_on": some_day(rng, 4, 28, weekdays="12345"),
            "payments_made": made,
            "arrears": monthly if turn % 10 == 3 else 0.0,
            "deferred_on": deferred,
            "status": "active",
        },
    )


def annuity(principal: float, percent: float, months: int) -> float:
    """The equal monthly payment of an instalment loan."""
    monthly = percent / 1200
    return rounded(principal * monthly / (1 - (1 + monthly) ** -months))


def deposits(ledger: Ledger, customer: Record, held: list[Record], turn: int) -> None:
    """Up to three fixed deposits that have not matured yet."""
    for _ in range((2, 1, 2, 3, 0, 3)[turn % 6]):
        _deposit(ledger, customer, held[0])


def _deposit(ledger: Ledger, customer: Record, account: Record) -> None:
    rng = ledger.rng
    offer: dict[str, Any] = rng.choice(list(OFFERS.values()))
    longest = min(offer["term_months"] * 30 - 15, (TODAY - date.fromisoformat(account["opened_on"])).days - 10)
    started = day(-rng.randrange(4, 29) if rng.random() < 0.35 else -rng.randrange(31, max(33, longest)))
    least = int(CURRENCIES[account["currency"]]["least_deposit"])
    ledger.add(
        "deposits",
        {
            "deposit_id": ledger.ids.digits("FD"),
            "customer_id": customer["customer_id"],
            "account_id": account["account_id"],
            "offer_id": offer["offer_id"],
            "amount": float(rng.randrange(least, least * 12, least // 2)),
            "interest_percent": round(offer["interest_percent"] + rng.choice((-0.3, -0.1, 0.0, 0.2)), 2),
            "started_on": started,
            "matures_on": months_later(started, offer["term_months"]),
            "at_maturity": rng.choice(("pay_out", "renew")),
            "status": "active",
        },
    )
