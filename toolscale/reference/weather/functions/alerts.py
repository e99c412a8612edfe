"""Alerts: setting up, changing, pausing and cancelling."""

from typing import Any, Literal

from ._shared import UNITS, Database, Record, _days_ahead, _live_alerts, _new_key, _one, _own, _plan, _site_name

WRITES = {
    "create_alert",
    "change_threshold",
    "change_channel",
    "move_alert",
    "pause_alert",
    "resume_alert",
    "cancel_alert",
}

_BOUNDS = {"rain": (5, 75), "gusts": (30, 130), "frost": (0, 6), "heat": (22, 42), "snow": (2, 30)}
_LONGEST_PAUSE = 90


def _shown_alert(db: Database, alert: Record) -> dict[str, Any]:
    return {**alert, "site": _site_name(db, alert), "unit": UNITS[alert["measure"]]}


def _live(db: Database, alert_id: str) -> Record:
    alert = _one(db, "alerts", alert_id)
    if alert["status"] == "cancelled":
        raise ValueError(f"alert {alert_id} is cancelled; set up a new one")
    return alert


def _check_threshold(measure: str, threshold: int) -> None:
    low, high = _BOUNDS[measure]
    if not low <= threshold <= high:
        raise ValueError(f"a threshold for {measure} lies between {low} and {high} {UNITS[measure]}")


def _check_single(db: Database, site_id: str, measure: str) -> None:
    for each in db["alerts"].values():
        if each["site_id"] == site_id and each["measure"] == measure and each["status"] != "cancelled":
            raise ValueError(f"{each['alert_id']} is a {measure} alert at that site already; change that one")


def list_alerts(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's alerts that are active or paused, with site, threshold and how often each was sent.

    customer_id: whose.
    """
    return [_shown_alert(db, each) for each in _own(db, "alerts", customer_id) if each["status"] != "cancelled"]


def get_alert(db: Database, alert_id: str) -> dict[str, Any]:
    """One alert with its site, threshold, unit, channel and state.

    alert_id: such as AL-48213.
    """
    return _shown_alert(db, _one(db, "alerts", alert_id))


def create_alert(
    db: Database,
    site_id: str,
    measure: Literal["rain", "gusts", "frost", "heat", "snow"],
    threshold: int,
    channel: Literal["text message", "email", "phone call"],
) -> dict[str, Any]:
    """Set up an alert at a site, as far as the customer's plan allows another one.

    site_id: the customer's site.
    measure: what is watched; a site has one alert a measure.
    threshold: mm of rain or cm of snow in a day, km/h of gusts, °C at the lowest (frost) or highest (heat).
    channel: how to send it.
    """
    site = _one(db, "sites", site_id)
    if measure not in UNITS or channel not in ("text message", "email", "phone call"):
        raise ValueError("the measure or the channel does not exist")
    _check_threshold(measure, threshold)
    _check_single(db, site_id, measure)
    limit = _plan(db, site["customer_id"])["alert_limit"]
    if len(_live_alerts(db, site["customer_id"])) >= limit:
        raise ValueError(f"the plan allows {limit} alerts, and there are as many; cancel one or change the plan")
    key = _new_key(db, "alerts", "AL")
    db["alerts"][key] = {
        "alert_id": key,
        "customer_id": site["customer_id"],
        "site_id": site_id,
        "measure": measure,
        "threshold": threshold,
        "channel": channel,
        "status": "active",
        "paused_until": None,
        "times_sent": 0,
    }
    left = limit - len(_live_alerts(db, site["customer_id"]))
    return {**_shown_alert(db, db["alerts"][key]), "alert_limit": limit, "alerts_left": left}


def change_threshold(db: Database, alert_id: str, threshold: int) -> dict[str, Any]:
    """Give an alert another threshold.

    alert_id: an active or paused alert.
    threshold: in the unit of its measure.
    """
    alert = _live(db, alert_id)
    _check_threshold(alert["measure"], threshold)
    if alert["threshold"] == threshold:
        raise ValueError(f"the threshold is {threshold} already")
    alert["threshold"] = threshold
    return _shown_alert(db, alert)


def change_channel(
    db: Database, alert_id: str, channel: Literal["text message", "email", "phone call"]
) -> dict[str, Any]:
    """Send an alert by another channel.

    alert_id: an active or paused alert.
    channel: how to send it from now on.
    """
    alert = _live(db, alert_id)
    if channel not in ("text message", "email", "phone call") or alert["channel"] == channel:
        raise ValueError("the channel must be another one of: text message, email, phone call")
    alert["channel"] = channel
    return _shown_alert(db, alert)


def move_alert(db: Database, alert_id: str, site_id: str) -> dict[str, Any]:
    """Let an alert watch another site of the customer's that has no alert for the same measure.

    alert_id: an active or paused alert.
    site_id: the site to watch from now on.
    """
    alert, site = _live(db, alert_id), _one(db, "sites", site_id)
    if site["customer_id"] != alert["customer_id"] or alert["site_id"] == site_id:
        raise ValueError("the site must be another one of the same customer")
    _check_single(db, site_id, alert["measure"])
    alert["site_id"] = site_id
    return _shown_alert(db, alert)


def pause_alert(db: Database, alert_id: str, until: str) -> dict[str, Any]:
    """Send nothing for an active alert until a day, at most 90 days ahead. It goes on counting as an alert.

    alert_id: an active alert.
    until: the first day on which it is sent again, YYYY-MM-DD.
    """
    alert = _live(db, alert_id)
    if alert["status"] == "paused":
        raise ValueError(f"alert {alert_id} is paused until {alert['paused_until']}; resume it first")
    if not 1 <= _days_ahead(until, "until") <= _LONGEST_PAUSE:
        raise ValueError(f"an alert is paused until tomorrow at the least and {_LONGEST_PAUSE} days at the most")
    alert.update(status="paused", paused_until=until)
    return _shown_alert(db, alert)


def resume_alert(db: Database, alert_id: str) -> dict[str, Any]:
    """Make a paused alert active again at once.

    alert_id: a paused alert.
    """
    alert = _live(db, alert_id)
    if alert["status"] != "paused":
        raise ValueError(f"alert {alert_id} is not paused")
    alert.update(status="active", paused_until=None)
    return _shown_alert(db, alert)


def cancel_alert(db: Database, alert_id: str) -> dict[str, Any]:
    """Cancel an alert for good, which frees its place in the plan.

    alert_id: an active or paused alert.
    """
    alert = _live(db, alert_id)
    alert.update(status="cancelled", paused_until=None)
    limit = _plan(db, alert["customer_id"])["alert_limit"]
    return {**_shown_alert(db, alert), "alerts_left": limit - len(_live_alerts(db, alert["customer_id"]))}
