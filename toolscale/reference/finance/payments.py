"""How customers pay: payees, transfers, standing orders, direct debits, purchases by card, and disputes."""

from datetime import date, timedelta

from toolscale.reference.finance.catalogue import BUSINESSES, PURPOSES, SCALE
from toolscale.reference.finance.ibans import COUNTRY_CURRENCY, iban
from toolscale.reference.finance.ledger import Ledger, Record, months_later
from toolscale.reference.finance.schema import CATEGORIES, COUNTRIES, REASONS
from toolscale.reference.moments import at, day, some_clock, some_day
from toolscale.reference.people import People
from toolscale.reference.sums import rounded

BILLS = {"electricity": (45, 160), "mobile phone": (12, 45), "gym membership": (19, 65), "home insurance": (14, 55)}
PRICES = dict(
    zip(
        CATEGORIES,
        ((12, 110), (18, 95), (120, 900), (60, 800), (25, 220), (30, 600), (9, 70), (6, 60)),
        strict=True,
    )
)


def payees(ledger: Ledger, people: People, customer: Record, turn: int) -> list[Record]:
    """Three people whom the customer pays, one of them abroad; most customers have added a fourth just now."""
    home, rng = customer["country"], ledger.rng
    abroad = rng.choice([each for each in COUNTRIES if COUNTRY_CURRENCY[each] != COUNTRY_CURRENCY[home]])
    countries = [home, home, abroad, *([home] if turn % 4 != 1 else [])]
    found = []
    for index, country in enumerate(countries):
        added = at(day(-rng.randrange(20, 480)), some_clock(rng, "08:00", "21:00", 7))
        found.append(
            ledger.add(
                "payees",
                {
                    "payee_id": ledger.ids.digits("PY"),
                    "customer_id": customer["customer_id"],
                    "name": people.one(country).name,
                    "iban": iban(rng, country),
                    "currency": COUNTRY_CURRENCY[country],
                    "added_at": at(day(-1), some_clock(rng, "10:00", "21:00", 7)) if index == 2 else added,
                },
            )
        )
    return found


def transfers(ledger: Ledger, held: list[Record], known: list[Record], turn: int) -> None:
    """Some that went out, and some that wait for their day; all within the customer's own currency."""
    rng, account = ledger.rng, held[0]
    for waits in (True, True, True, False)[turn % 3 :]:
        payee = rng.choice(known[:2])
        execute = some_day(rng, 2, 40, weekdays="12345") if waits else some_day(rng, -60, -5, weekdays="12345")
        ledger.add(
            "transfers",
            {
                "transfer_id": ledger.ids.digits("TF"),
                "customer_id": account["customer_id"],
                "account_id": account["account_id"],
                "payee_id": payee["payee_id"],
                "amount": (amount := ledger.round_sum(35, 700, SCALE[account["currency"]])),
                "fee": 0.0,
                "received": amount,
                "speed": "standard",
                "execute_on": execute,
                "status": "scheduled" if waits else "sent",
                "ordered_at": at(min(execute, day(-rng.randrange(1, 9))), some_clock(rng, "08:00", "21:00", 7)),
            },
        )


def standing_orders(ledger: Ledger, held: list[Record], known: list[Record], turn: int) -> None:
    """One to three, to payees at home."""
    rng = ledger.rng
    for payee in known[:2][: 1 + turn % 2] + (known[:1] if turn % 3 == 0 else []):
        account = rng.choice([each for each in held if each["product_id"] == "PR-CURRENT"][:2])
        if account["currency"] != payee["currency"]:
            account = held[0]
        ledger.add(
            "standing_orders",
            {
                "order_id": ledger.ids.digits("SO"),
                "customer_id": account["customer_id"],
                "account_id": account["account_id"],
                "payee_id": payee["payee_id"],
                "amount": ledger.round_sum(25, 900, SCALE[account["currency"]]),
                "frequency": rng.choice(("weekly", "monthly", "monthly", "monthly", "quarterly")),
                "next_on": some_day(rng, 3, 28, weekdays="12345"),
                "status": "active",
            },
        )


def direct_debits(ledger: Ledger, customer: Record, held: list[Record]) -> None:
    """Two or three mandates, and what was collected by them lately."""
    rng, scale = ledger.rng, SCALE[held[0]["currency"]]
    creditors = list(zip(BUSINESSES[customer["country"]].creditors, PURPOSES, strict=True))
    for creditor, purpose in rng.sample(creditors, rng.choice((1, 2, 2, 3))):
        mandate = ledger.add(
            "mandates",
            {
                "mandate_id": ledger.ids.digits("MD"),
                "customer_id": customer["customer_id"],
                "account_id": held[0]["account_id"],
                "creditor": creditor,
                "purpose": purpose,
                "signed_on": day(-rng.randrange(150, 470)),
                "status": "active",
            },
        )
        usual, last = ledger.sum_of(*BILLS[purpose], scale), -rng.randrange(2, 24)
        for back in (0, rng.choice((1, 2))):
            _collected(ledger, mandate, rounded(usual * rng.choice((1, 1, 0.94, 1.3))), _banking_day(day(last), back))


def _banking_day(last: str, months_back: int) -> str:
    """So many months before a day, or the Friday before that."""
    then = date.fromisoformat(months_later(last, -months_back))
    return (then - timedelta(days=max(0, then.weekday() - 4))).isoformat()


def _collected(ledger: Ledger, mandate: Record, amount: float, booked_on: str) -> None:
    ledger.add(
        "transactions",
        {
            "transaction_id": ledger.ids.hex("TX"),
            "customer_id": mandate["customer_id"],
            "account_id": mandate["account_id"],
            "card_id": None,
            "mandate_id": mandate["mandate_id"],
            "kind": "direct_debit",
            "counterparty": mandate["creditor"],
            "category": None,
            "amount": amount,
            "booked_on": booked_on,
            "status": "booked",
        },
    )


def purchases(ledger: Ledger, customer: Record, held: list[Record], cards: list[Record], turn: int) -> list[Record]:
    """What was paid by card; most customers were charged twice for one of them."""
    rng = ledger.rng
    shops = list(zip(BUSINESSES[customer["country"]].shops, CATEGORIES, strict=True))
    found = []
    for index, (shop, category) in enumerate(rng.sample(shops, 3)):
        back = rng.randrange(125, 170) if index == 2 else rng.randrange(3, 80)
        amount = ledger.sum_of(*PRICES[category], SCALE[held[0]["currency"]])
        found.append(_bought(ledger, rng.choice(cards), shop, category, amount, -back))
    if turn % 3 != 2:
        first = found[0]
        charged = {"account_id": first["account_id"], "card_id": first["card_id"], "customer_id": first["customer_id"]}
        again = _bought(ledger, charged, first["counterparty"], first["category"], first["amount"], -1)
        again["booked_on"] = (date.fromisoformat(first["booked_on"]) + timedelta(days=1)).isoformat()
    if turn % 3 == 0:
        shop, category = rng.choice(shops)
        pending = _bought(
            ledger, rng.choice(cards), shop, category, ledger.sum_of(20, 180, SCALE[held[0]["currency"]]), 0
        )
        pending["status"] = "pending"
    return found


def _bought(ledger: Ledger, card: Record, shop: str, category: str, amount: float, offset: int) -> Record:
    return ledger.add(
        "transactions",
        {
            "transaction_id": ledger.ids.hex("TX"),
            "customer_id": card["customer_id"],
            "account_id": card["account_id"],
            "card_id": card["card_id"],
            "mandate_id": None,
            "kind": "card",
            "counterparty": shop,
            "category": category,
            "amount": amount,
            "booked_on": day(offset),
            "status": "booked",
        },
    )


def disputes(ledger: Ledger, bought: list[Record], turn: int) -> None:
    """Every customer disputes a purchase, or did so once."""
    disputed = bought[1]
    ledger.add(
        "disputes",
        {
            "dispute_id": ledger.ids.digits("DP"),
            "customer_id": disputed["customer_id"],
            "transaction_id": disputed["transaction_id"],
            "reason": ledger.rng.choice([each for each in REASONS if each != "unauthorised"]),
            "amount": disputed["amount"],
            "status": "under_review" if turn % 4 else "rejected",
            "opened_on": day(-ledger.rng.randrange(1, 3)),
        },
    )
