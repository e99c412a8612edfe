"""The words by which people set limits and conditions, deny, and choose the best of several, for marked words.

A limit has a side ("more", "less"). Its weaker words also only name a day or an hour ("from 3 May").
"""

import re

from toolscale.checkers.restated.marks import FIGURE, MARK


def any_of(*words: str) -> str:
    """A pattern for one of several."""
    return f"(?:{'|'.join(words)})"


WEAK = frozenset({"from", "starting", "starting from", "as of", "by", "through", "within", "past", "inside"})
"""What bounds a day or an hour and may also only name it."""
_MORE = any_of(
    *(
        "more than",
        "over",
        "above",
        r"exceed(?:s|ed|ing)?",
        "at least",
        "a minimum of",
        r"minimum(?: of)?",
        "later than",
    ),
    *("after", "dearer than", "higher than", "greater than", "larger than", "bigger than", "longer than", "older than"),
    *("beyond", "upwards of", "past", "in excess of", "go(?:es)? beyond", "from", "starting(?: from)?", "as of"),
    *("costlier than", "pricier than", "more expensive than", "≥", ">=", ">"),
)
_LESS = any_of(
    *("less than", "under", "below", "at most", "up to", "a maximum of", r"max\.?(?: of)?", r"maximum(?: of)?"),
    *("cheaper than", "lower than", "fewer than", "smaller than", "shorter than", "earlier than", "sooner than"),
    *("before", "within", "until", "till", "through", "by", "short of", "inside", "≤", "<=", "<"),
    *(r"limit(?: \w+){0,3} (?:is|of|being)", "limit", "budget (?:is|of)", "budget", "cap (?:is|of|it at)", "cap"),
    r"(?:can|could|may|might|want to|will) (?:only )?(?:spend|afford|pay)",
)
_MONEY = any_of("eur", "euros?", "gbp", "pounds?", "usd", "dollars?", "chf")
_BETWEEN = rf"(?:,? (?:than|the|a|an|of|my|is|sum|total|amount|just|only|exactly|{_MONEY})){{0,3}}"
LIMIT_BEFORE = re.compile(
    rf"(?:(?<![\w-])|(?=[<>≤≥]))(?:(?P<more>{_MORE})|(?P<less>{_LESS})){_BETWEEN} ?[€£$]?(?={FIGURE})"
)
"""What stands before a figure that it bounds."""
_UNIT = rf"(?: ?%| per ?cent| percent)?(?: (?:{_MONEY}|people|persons?|days?|off|in total|altogether)){{0,2}}"
_OR_MORE = any_of(
    "(?:or|and) (?:more|over|above|later|better|after(?:wards?)?|higher|dearer|longer|up(?:wards)?)",
    *("upwards?", "plus", "at least", "at the (?:least|earliest)", "minimum", "and on", "earliest"),
    r"on(?:wards?)?\b(?! (?:the|my|our|\d|⟦))",
)
_OR_LESS = any_of(
    "(?:or|and) (?:less|under|below|earlier|before|lower|cheaper|fewer|sooner)",
    *("at most", "at the (?:most|latest)", r"max(?:imum)?\b", r"tops\b", r"latest\b"),
)
LIMIT_AFTER = re.compile(rf"{FIGURE}{_UNIT},? (?:(?P<more>{_OR_MORE})|(?P<less>{_OR_LESS}))")
"""A figure and what bounds it from behind."""
SPREAD = re.compile(
    rf"{FIGURE} (?:equal |monthly )?(?:months?|weeks?|days?|years?|instal\w+|parts?|payments?|rates?)\b"
)
"""What a sum is spread over, rather than more than."""

_NO = any_of(
    r"\bnot", "n't", r"\bdont", r"\bcant", r"\bwont", r"\bisnt", r"\bdoesnt", r"\bno", r"\bnever", r"\bwithout"
)
DENIED_BEFORE = re.compile(
    rf"(?:{_NO}|\bnothing|\bnone|\bnor|\bnobody)"
    r"(?: (?!if\b|should\b|unless\b|when\b|but\b|and\b|then\b)[\w'⟦⟧-]+){0,4} ?$"
)
"""That a comparison which follows is denied: "not to be more than"."""

_ONLY_IF = any_of(
    *(
        r"\bonly (?:if|when|where|provided|in case)",
        r"\bif,? and only if,?",
        r"\bprovided(?: that)?\b",
        r"\bproviding\b",
    ),
    *(r"\b(?:as|so) long as\b", r"\bon (?:the )?condition(?: that)?\b"),
)
_UNLESS = any_of(r"\bunless\b", r"\b(?:but |and |just |only )?not if\b", r"\bexcept if\b")
_SUBJECT = any_of(
    *("it", "that", "this", "there", "they", "the", "my", "any", "no", "none", "even", "all", "one", "⟦"),
    *(r"i\b", r"we\b", r"you\b", r"[\w-]+ing\b", r"[\w-]+ be\b", r"[\w-]+ not\b"),
)
_BARE_LIMIT = rf"(?:for |at )?(?:anything |everything )?(?:below|under|above|over|less than|more than) [€$£]?{FIGURE}"
_IF = any_of(
    *(r"\bif\b", r"\bin case\b", r"\bsupposing\b", r"\bassuming\b", r"\bin the event\b"),
    rf"(?:^|(?<=[.!?:;] )|(?<=\n))(?={_BARE_LIMIT})",
    rf"(?:^|(?<=[.,;:!?()-]))\s*(?:but |and |or |so |then |yet |however,? |still,? )*should\b(?= {_SUBJECT})",
    r"\b(?:but |and |or )should (?=it|that|this|there|they|the\b)",
    r"\bwhen you (?:do )?(?:have to |must )?(?=refuse|say no|decline)",
)
CUE = re.compile(rf"(?P<iff>{_ONLY_IF})|(?P<unless>{_UNLESS})|(?P<if>{_IF})")
"""What begins a condition."""
NO_CONDITION = re.compile(
    r"\b"
    + any_of(
        r"(?:see|know|check|ask|wonder|sure|say|tell (?:me|us)|whether or not) if\b",
        *(r"as if\b", r"what if\b", r"if only\b"),
        r"if you (?:please|don't mind|do not mind|can|could|would|will|may|might|wouldn't mind|have)(?!')\b",
        r"if (?:i may|(?:at all )?possible|need be|that(?:'s| is) ok(?:ay)?|anything|memory serves)\b",
        r"if it(?:'s| is) (?:no|not too much) trouble\b",
        r"if i (?:told|asked|wanted|let|stretched|spread|paid|took|were to|moved|had it)\b",
        r"(?:grateful|glad|happy|great|nice|lovely|kind|good|wonderful|appreciate it|obliged|helpful|pleased) if\b",
    )
)
"""An "if" on which nothing hangs: politeness, an indirect question, a mere supposition."""
_THEN = r"(?=\s*(?:[,;:.!?()-]|then\b|please\b|leave\b|keep\b|just\b|don't\b|do not\b|$))"
_AS_SAID = any_of(
    *("so", "not", "yes", "no", "it is", "it isn't", "it's not", "it is not", "it does", "it doesn't", "it does not"),
    *("they are", "they aren't", "that(?:'s| is) so", "that(?:'s| is) the case", "that be so", "that happens"),
    *("it has", "it hasn't"),
    "(?:it's |it is |it comes out )?(?:more|less|dearer|cheaper|higher|lower|over|under|above|below)",
)
_DEARER = any_of(
    *("more", "dearer", "more expensive", "higher", "costlier", "pricier", "any more", "(?:over|above) (?:it|that)")
)
RESUMED = re.compile(
    any_of(
        rf"\b(?:if|should) {_AS_SAID}{_THEN}",
        r"\b(?:if|should) (?:it|that|they|that \w+|the \w+)(?:'s| is| are| be| was| were| costs?| comes? to) "
        rf"{_DEARER}{_THEN}",
        r"\b(?:beyond|above|over) (?:that|it|this)\b",
        *(r"\botherwise\b", r"\bin (?:that|which|this) case\b", r"\bor else\b", r"\belse\b(?=[,:])"),
        r"\bfailing (?:that|which)\b",
    )
)
"""What takes up a condition that was said before."""
ASKED_AND_DONE = re.compile(r"\?\s*(?:then|if so|leave|don't|do not|dont|in that case|so be it|just)\b")
"""A condition that is put as a question: "not allowed yet? then ..."."""
ENDS_A_CONDITION = re.compile(
    any_of(
        r"[,;:.!?()\n]",
        " -",
        r"\b(?<!i )(?<!we )(?<!you )(?<!they )(?:dont|don't|do not)\b",
        r"\b(?:then|leave|keep|skip|just|tell|say|cancel|add|please|pls|forget|i'll|i will|let me|refrain|kindly)\b",
    )
)
"""Where what hangs on a condition begins."""
DENIAL = re.compile(
    any_of(
        r"\b(?:not|no|never|nothing|none|nobody|without|nor|neither|cannot|dont|isnt|doesnt|cant|wont)\b",
        r"n't\b",
        r"\b(?:outside|out of range|abnormal|under|below|short of)\b",
        r"\b(?:less|fewer|lower|cheaper|earlier|smaller|shorter) than\b",
    )
)
"""What turns a condition round, once for each time."""
NOT_DONE = re.compile(
    any_of(
        r"\b(?:not|dont|never|nothing|none|leave|leaving|left|skip|forget|hold off|stays?|refrain|abandon|neither)\b",
        r"\b(?:won't|wont|no longer|hands off|rather not|do without|scrap|no need)\b",
        r"\b(?:out of the question|will do|drop it)\b",
        r"\bkeep (?:it|that|this|them|everything)\b(?! (?:longer|for|until|another|\d|⟦))",
        r"\bkeep the \w+(?=[,.;:!?]| as\b| and\b| but\b|$)",
        r"n't\b",
        r"\b(?:just|only|simply) (?:tell|say|name|let|give|state|quote|report|want to know|need to know)\b",
    )
)
"""That something is left undone, or only told."""
FLAT_DENIAL = re.compile(
    any_of(
        r"\b(?:not|no(?!\.)|never|without|nor|none|nothing|nobody|neither|cannot|dont|cant|outside)\b",
        r"\b(?:instead|rather than|skip|avoid\w*|exclud\w+|except|free of|free from|unchanged|forget)\b",
        r"\b(?:leave|(?<!you )keep) (?:it|that|this|things|everything|them)\b",
        r"n't\b",
    )
)
NO_DENIAL = re.compile(
    any_of(
        r"\b(?:no|not) (?:less|more|later|earlier|sooner|fewer|longer) than\b",
        r"\b(?:not|nothing|none) (?:over|under|above|below|before|after)\b",
        r"\bcan(?:no|')t wait\b",
        r"\bno, wait\b",
        rf"\bnot (?:on )?{FIGURE}",
    )
)
"""Denials of a limit or of what was said first, which other rules see to."""
DENIED_ACT = re.compile(
    r"\b(?:do not|don't|dont|never|please not to|not to)(?: (?:ever|please|even|yet|bother))* "
    r"(?!you\b|i\b|we\b|they\b|it\b)(\w+)"
)
DENIED_VALUE = re.compile(
    rf"(?:{_NO}|\bexcept|\binstead of|\brather than)"
    rf"(?: (?:be|on|at|by|in|for|an?|the|via|want|need|like|with|any|to|have|it|as)){{0,3}} ({MARK})"
)
DIRECTION = re.compile(rf"\b(from|to) (?:the )?({MARK})")

_NO_FIRST = any_of(
    *("for", "on", "name", "said", "wrote", "of all", "thought", "put", "asked", "meant", "class", "trip", "journey"),
    *("ticket", "leg", r"the\b", r"my\b", r"i\b", r"and\b"),
)
_NO_LAST = any_of(
    *("week", "month", "year", "night", "time", "minute", "moment", "slip", "name", "but", "thing", r"day\b", r"date\b")
)
_NO_MOST = r" recent| of (?:the|my|our|us|it|them)\b| (?:people|likely|kind|important|grateful)"
SUPERLATIVES = {
    kind: re.compile(rf"\b{any_of(*words)}\b")
    for kind, words in {
        "low": ["cheapest", "least(?<!at least)(?! of all)", "lowest", "smallest", "fewest", "cheaper of", "lower of"],
        "high": [
            *("dearest", rf"(?<!at )(?<!at the )most(?!{_NO_MOST})", "highest", "largest", "biggest", "greatest"),
            *("priciest", "costliest"),
        ],
        "early": [
            *("earliest", rf"(?<!at )(?<!of )(?<!i )(?<!its )first(?! {_NO_FIRST})", "soonest", "oldest"),
            r"next(?= (?:\w+ )?(?:available|free|possible))",
        ],
        "late": [
            *("(?<!at the )latest", rf"(?<!at )(?<!long )last(?! {_NO_LAST})", "furthest", "farthest", "newest"),
            *("most recent", "youngest"),
        ],
    }.items()
}
"""Kind -> the words that choose by it."""
