"""Every model call goes through the gateway: cache, retries, limits, prices and the ledger in one place.

async with Gateway(settings, store) as gateway:
    text = await gateway.text("teacher", messages, stage="subjects", domain="railway")
"""

from toolscale.llm.errors import (
    BadKey,
    BadRequest,
    BudgetSpent,
    ContextTooLong,
    GatewayError,
    MalformedAnswer,
    NoAddress,
    QuotaExhausted,
    Refused,
    RetriesExhausted,
    SentElsewhere,
    TimedOut,
    Unanswerable,
    UnknownModel,
    UnknownPrice,
    Unreachable,
)
from toolscale.llm.gateway import Gateway
from toolscale.llm.offer import Offer
from toolscale.llm.reply import ChatReply
from toolscale.stages import Role

__all__ = [
    "BadKey",
    "BadRequest",
    "BudgetSpent",
    "ChatReply",
    "ContextTooLong",
    "Gateway",
    "GatewayError",
    "MalformedAnswer",
    "NoAddress",
    "Offer",
    "QuotaExhausted",
    "Refused",
    "RetriesExhausted",
    "Role",
    "SentElsewhere",
    "TimedOut",
    "Unanswerable",
    "UnknownModel",
    "UnknownPrice",
    "Unreachable",
]
