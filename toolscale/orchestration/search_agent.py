"""A search agent: an orchestrator that has web search and page extraction alone, and answers with its sources."""

from collections.abc import Collection
from datetime import date

from toolscale.errors import UserError
from toolscale.messages import Message
from toolscale.prompts import render

MAX_TURNS = 10
"""Messages that it may write, unless somebody says otherwise."""


def is_search_agent(tools: Collection[str]) -> bool:
    """Whether tools of these names make one."""
    return set(tools) == {"web_search", "extract_content"}


def search_prompt(question: str, *, today: str = "", turns: int = 0, brief: bool = False) -> list[Message]:
    """Its prompt.

    Args:
        question: what is asked, with the user's preferences if there are any.
        today: a day, as 2026-01-31; empty where the question is not about now.
        turns: how many messages it is told that there may be; 0 tells nothing of it.
        brief: ask for a short answer on the last line, after the sources.
    """
    return render("search_agent", question=question, today=today, turns=turns, brief=brief)


def day(text: str) -> str:
    """A day as a user gives it. Raises UserError for what is none."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise UserError(f"--date {text} is no day: write it as 2026-01-31") from None
