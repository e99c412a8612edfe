"""Whether a message denies what it names: "not on Friday", "instead of 112 euros", "moved from the 3rd"."""

import re

_NO = (
    r"(?:\bnot|(?:is|was|are|were|does|do|did|wo|would|has|have|had|ca|could)n't|\bno longer|"
    r"\bnever|\bneither|\bnor|\bunlike|\bwithout|\byet to|\bold:)"
)
_FILLERS = (
    r"on|at|for|by|with|in|from|to|the|a|an|your|be|been|is|was|until|of|dr|mr|ms|mrs|about|around|it|as|this|yet|"
    r"currently|actually|eur|usd|gbp|pln|costs?|leaves?|leaving|arrives?|arriving|starts?|starting|begins?|available|called|named|"
    r"doctor|going|gonna|use|cost"
)
_OVER = (
    r"(?:\brather than|\binstead of|\bin place of|"
    r"\bsupposed to (?:be|start|arrive|leave)|\bscratch|\bforget|\bignore|"
    r"\b(?:mov|chang|postpon|reschedul|bump|switch|shift|push|brought forward|relocat|transferr)\w*"
    r"(?: \w+){0,4}? (?:from|off)|"
    r"\bhas left|\bday (?:after|before))"
)
_FORMER = r"(?:\bused to (?:be|cost|start|run)|\bformerly|\b(?:former|old|previous) \w+ (?:of|at|was))"
_USUAL = r"(?: (?:usual|former|old|original|previous|regular|planned))?"
_DENIED = re.compile(rf"(?:{_NO}|{_OVER}{_USUAL})(?: (?:{_FILLERS}))*{_USUAL}[ '\"(€$£-]*$")
_BEFORE = re.compile(rf"{_FORMER}(?: (?:{_FILLERS}))*{_USUAL}[ '\"(€$£-]*$")
_PAST = re.compile(r"\b(?:before|former(?:ly)?|previous(?:ly)?|old|used to|until now|so far|originally|was|were|had)\b")
_NONE_IS = re.compile(r"\bno (?:\w+ ){1,3}(?:is|are|was|were) (?:\w+ )?$")
_CANNOT = re.compile(
    rf"(?:{_NO}|\bcannot|\bunable to)"
    r"(?: (?!only|just|until|later|earlier|before|after|than|but)\w+){0,3} (?:on |at )?$"
)
_AFTERWARDS = re.compile(
    r"^[^.;:!?,]{0,14}?\b(?:no longer (?:applies|valid|available|works)|is not applicable|"
    r"does(?:n't| not) (?:apply|belong)|has (?:retired|expired|left)|"
    r"(?:is|was|are|were) (?:all )?(?:full|taken(?! back)|sold out|wrong|incorrect|not available)|"
    r"(?:ca|wo)n't (?:make|work)|cannot (?:make|come))"
)
_GONE = re.compile(r"^[^.;:!?,]{0,14}?\b(?:is|was|are|were) (?:all )?gone\b")
_WIDE = 80


def speaks_of_before(question: str) -> bool:
    """True if who asks may want to know how something was: then "formerly 900" denies nothing."""
    return _PAST.search(question.casefold()) is not None


def denied(text: str, start: int, end: int, *, when: bool = False, past: bool = False) -> bool:
    """True if what stands in a plain text is denied by the words around it.

    `when` is for days and times: "cannot deliver on Friday" denies the day, "cannot refund the 47 euros" no amount.
    `past` is for what was asked of before: "formerly 900 euros" tells it.
    """
    before, after = text[max(0, start - _WIDE) : start], text[end : end + _WIDE]
    if not past and _BEFORE.search(before):
        return True
    if _DENIED.search(before) or _NONE_IS.search(before) or _AFTERWARDS.match(after):
        return True
    return when and bool(_GONE.match(after) or _CANNOT.search(re.split(r"[.;!?,:]", before)[-1]))
