"""The bank's policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    """The records of a table that the call changed, as they were and as they are."""
    pairs = ((before[table].get(key), record) for key, record in after[table].items())
    return [(old, new) for old, new in pairs if old is not None and old != new]


def _today() -> date:
    return datetime.now().date()


def _days_since(day: str) -> int:
    return (_today() - date.fromisoformat(day)).days


def no_account_beyond_its_overdraft(before: Database, call: Record, after: Database) -> str | None:
    """Nothing is paid from an account beyond its balance and overdraft limit."""
    for old, new in _changed("accounts", before, after):
        if new["balance"] < old["balance"] and new["balance"] < -new["overdraft_limit"] - 0.001:
            return f"{new['account_id']} stands at {new['balance']}"
    return None


def frozen_accounts_pay_nothing(before: Database, call: Record, after: Database) -> str | None:
    """A frozen account receives money, but pays nothing."""
    for old, new in _changed("accounts", before, after):
        if old["status"] == "frozen" and new["balance"] < old["balance"]:
            return f"{new['account_id']} is frozen"
    return None


def savings_withdrawals_are_counted(before: Database, call: Record, after: Database) -> str | None:
    """The Bonus Saver has 2 withdrawals a calendar month, the Young Saver and the Silver Saver 3."""
    for _, new in _changed("accounts", before, after):
        most = after["products"][new["product_id"]]["monthly_withdrawals"]
        if most is not None and new["withdrawals_this_month"] > most:
            return f"{new['account_id']} has {new['withdrawals_this_month']} withdrawals this month"
    return None


def savings_pay_only_own_accounts(before: Database, call: Record, after: Database) -> str | None:
    """Transfers, standing orders and fixed deposits are paid from current accounts only."""
    for table in ("transfers", "standing_orders", "deposits"):
        for record in _added(table, before, after):
            account = after["accounts"][record["account_id"]]
            if after["products"][account["product_id"]]["kind"] != "current":
                return f"{record['account_id']} is a savings account"
    return None


def only_what_the_customer_owns(before: Database, call: Record, after: Database) -> str | None:
    """Money goes between entries of one customer: their accounts, payees, loans and deposits."""
    owners = {
        before[table][value]["customer_id"]
        for table in ("accounts", "payees", "loans", "cards", "deposits")
        for value in call["arguments"].values()
        if isinstance(value, str) and value in before[table]
    }
    return f"entries of {len(owners)} customers" if len(owners) > 1 else None


def new_payees_get_little(before: Database, call: Record, after: Database) -> str | None:
    """In the 24 hours after it was added, a payee receives no more than the currency's limit for new payees."""
    for sent in _added("transfers", before, after):
        payee, account = after["payees"][sent["payee_id"]], after["accounts"][sent["account_id"]]
        is_new = datetime.now() - datetime.fromisoformat(payee["added_at"]) < timedelta(hours=24)
        total = sum(
            each["amount"]
            for each in after["transfers"].values()
            if each["payee_id"] == payee["payee_id"] and each["status"] == "sent"
        )
        limit = after["currencies"][account["currency"]]["new_payee_limit"]
        if is_new and sent["status"] == "sent" and total > limit:
            return f"{payee['payee_id']} is new and received {total}"
    return None


def a_blocked_card_stays_blocked(before: Database, call: Record, after: Database) -> str | None:
    """A card that was blocked as lost, stolen or damaged never works again."""
    for old, new in _changed("cards", before, after):
        if old["status"] in ("lost", "stolen", "damaged") and new["status"] != old["status"]:
            return f"{new['card_id']} was {old['status']} and is {new['status']}"
    return None


def a_card_is_replaced_for_a_reason(before: Database, call: Record, after: Database) -> str | None:
    """A card is replaced when it is lost, stolen or damaged, or expires within 60 days; once."""
    for old, new in _changed("cards", before, after):
        if new["replaced_by"] != old["replaced_by"]:
            gone = old["status"] in ("lost", "stolen", "damaged")
            if old["replaced_by"] or not (gone or -_days_since(old["expires_on"]) <= 60):
                return f"{new['card_id']} was replaced without a reason"
    return None


def direct_debits_come_back_for_56_days(before: Database, call: Record, after: Database) -> str | None:
    """A direct debit is taken back until 56 days after it was booked."""
    for old, new in _changed("transactions", before, after):
        if new["status"] == "refunded" and (old["kind"] != "direct_debit" or _days_since(old["booked_on"]) > 56):
            return f"{new['transaction_id']} is a {old['kind']} of {old['booked_on']}"
    return None


def card_payments_are_disputed_for_120_days(before: Database, call: Record, after: Database) -> str | None:
    """A booked card payment is disputed until 120 days after it was booked, once."""
    for dispute in _added("disputes", before, after):
        key = dispute["transaction_id"]
        disputed = after["transactions"][key]
        earlier = [each for each in before["disputes"].values() if each["transaction_id"] == key]
        late = _days_since(disputed["booked_on"]) > 120
        if disputed["kind"] != "card" or disputed["status"] != "booked" or late or earlier:
            return f"{key} is a {disputed['kind']}, {disputed['status']} on {disputed['booked_on']}"
    return None


def fraud_is_disputed_with_the_card_blocked(before: Database, call: Record, after: Database) -> str | None:
    """A payment that the customer did not make is disputed once its card is blocked as lost or stolen."""
    for dispute in _added("disputes", before, after):
        card = after["cards"][after["transactions"][dispute["transaction_id"]]["card_id"]]
        if dispute["reason"] == "unauthorised" and card["status"] not in ("lost", "stolen"):
            return f"{card['card_id']} is still {card['status']}"
    return None


def a_payment_is_put_off_once_a_year(before: Database, call: Record, after: Database) -> str | None:
    """A loan's payment is put off once in 365 days, after six payments and without arrears."""
    for old, new in _changed("loans", before, after):
        if new["next_payment_on"] > old["next_payment_on"]:
            recent = old["deferred_on"] and _days_since(old["deferred_on"]) < 365
            if recent or old["payments_made"] < 6 or old["arrears"]:
                return f"{new['loan_id']} was put off on {old['deferred_on']}, arrears {old['arrears']}"
    return None


def deposits_hold_for_30_days(before: Database, call: Record, after: Database) -> str | None:
    """A fixed deposit is broken 30 days after it began at the earliest."""
    for old, new in _changed("deposits", before, after):
        if new["status"] == "broken" and _days_since(old["started_on"]) < 30:
            return f"{new['deposit_id']} began on {old['started_on']}"
    return None


def overdrafts_have_a_limit(before: Database, call: Record, after: Database) -> str | None:
    """An overdraft limit goes up to the currency's highest, and is not raised while a loan is in arrears."""
    for old, new in _changed("accounts", before, after):
        if new["overdraft_limit"] > old["overdraft_limit"]:
            highest = after["currencies"][new["currency"]]["highest_overdraft"]
            behind = [
                each["loan_id"]
                for each in after["loans"].values()
                if each["customer_id"] == new["customer_id"] and each["arrears"]
            ]
            if new["overdraft_limit"] > highest or behind:
                return f"{new['overdraft_limit']} for {new['account_id']}; in arrears: {behind}"
    return None
