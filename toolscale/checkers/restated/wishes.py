"""What a request wants and claims: things to be done, questions, dealings of the past, times, names."""

import re
from collections.abc import Iterator

from toolscale.checkers.restated.patterns import any_of
from toolscale.checkers.restated.stems import stem, stems

_ALIKE = (
    "book reserve order buy purchase get sell issue arrange schedule sign enrol obtain need want",
    "cancel give call drop scrap stop withdraw abandon undo return",
    "change move switch exchange put postpone reschedule shift swap transfer alter amend push set make",
    "pay settle charge debit",
    "extend renew prolong keep",
    "file claim submit lodge raise request apply",
    "add include take bring",
    "fill refill dispense",
    "record note register write enter log put",
    "spread split divide stretch",
    "remove delete strike take",
    "apply use redeem",
    "send deliver post ship dispatch",
    "refund reimburse pay return",
    "call ring phone telephone",
    "find look search check pick choose select",
)
"""Verbs that people use for one another, a line for each thing that they do."""
_CLASSES: dict[str, set[int]] = {}
for _place, _verbs in enumerate(_ALIKE):
    for _verb in _verbs.split():
        _CLASSES.setdefault(stem(_verb), set()).add(_place)
_FOR_ANYTHING = frozenset(
    ["add", "put", "set", "make", "include", "arrange", "apply", "bring", "find", "check", "compare", "request", "ask"]
)

_TELLING = (
    r"tell|say|state|confirm|give|name|let|quote|report|inform|advise|specify|remind|show|write back|read|list|explain|"
    r"answer"
)
_ACTING = (
    r"book|reserve|order|buy|purchase|cancel|return|change|move|switch|exchange|postpone|reschedule|shift|swap|"
    r"transfer|pay|settle|charge|debit|extend|renew|file|claim|submit|request|apply|add|include|fill|refill|record|"
    r"note|register|enter|spread|split|divide|remove|delete|redeem|use|send|email|mail|text|post|ship|deliver|refund|"
    r"reimburse|call|ring|phone|contact|notify|alert|arrange|schedule|issue|upgrade|downgrade|print|forward|waive|"
    r"credit|deduct|recommend|suggest|invite|block|unblock|lock|activate|deactivate|subscribe|unsubscribe|insure|rate|"
    r"review|complain|replace|repair|reset|update|upload|join|reply|merge|combine|wrap|bring|pack|reopen|close|stop|"
    r"start|withdraw|deposit|open|lend|borrow|rent|hire|sell|assign|enrol|prescribe|inform|ask|save|seat|put|set|make|"
    r"find|check|compare|look up|look for|search"
)
_ASKING_FOR_IT = any_of(
    *("and", "then", "but", "so", "also", "too", "please", "pls", "plz", "kindly", "just", "now", "next", "afterwards"),
    *(
        "finally",
        "while you're at it",
        "in addition",
        "go ahead and",
        "be so (?:kind|good) as to",
        "could you",
        "can you",
    ),
    *("would you", "will you", "might you", "may i ask you to", "you (?:can|could|may|should|might)", "be able to"),
    r"i(?:'d| would|'ll| will)? (?:also )?(?:like|love|want|need|wish|ask|request)(?: you)? to",
    *("i (?:also )?(?:want|need)", "make sure(?: to| you| that you)?", "don't forget to", "remember to", "do", "maybe"),
    *("perhaps", "if you (?:can|could|would)", "possibly", "please do", "feel free to", "help me"),
)
_WISH = re.compile(
    r"(?:^|[.!?;:,\n()]\s*|- |\b(?:and|then|but|so|also|plus|or|&|\+) )"
    rf"(?:{_ASKING_FOR_IT}[, ]+)*"
    rf"(?P<verb>{_ACTING})\b(?! (?:is|was|are|were|has|have|had|will|of)\b)(?P<rest>[^.!?;\n]*)"
)
_NEXT_CLAUSE = re.compile(
    rf"(?:,|\band\b|\bthen\b|\bbut\b|\bso\b) (?:\w+ )?(?:{_ACTING}|{_TELLING}|if|unless|i|it|we)\b"
)

_ADDED = re.compile(
    r"\b"
    + any_of(
        *("e-?mail(?:ed)?", "sms", "text (?:me|us)", "by phone", "phone (?:me|us)", "call (?:me|us)", "ring (?:me|us)"),
        *("remind(?:er)?", r"notif\w+", "alert", "receipt", "invoice", "confirmation", "discount", "upgrade", "refund"),
        *(
            "compensation",
            r"complain\w*",
            "manager",
            "supervisor",
            "feedback",
            r"recommend\w*",
            r"suggest\w*",
            "window",
        ),
        *(
            "quiet",
            "vegetarian",
            "vegan",
            "wheelchair",
            "balcony",
            "parking",
            "newsletter",
            "print(?:ed)?",
            "in advance",
        ),
        *(
            "urgent(?:ly)?",
            "asap",
            "insurance",
            "guarantee",
            "gift",
            "free of charge",
            "for free",
            "extra",
            r"waive\w*",
        ),
        *("calendar", r"attach\w*", "copy", "signature"),
    )
    + r"\b"
)
_OTHERS = re.compile(
    r"\b"
    + any_of(
        "(?:all|any|every|each)(?: of)? (?:my |our |the |your )?others?",
        *("the rest of (?:my|our|them|the)", "(?:everything|anything) else", r"(?:my|our) other \w+"),
    )
    + r"\b"
)
_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_TIMES = re.compile(
    r"\b"
    + any_of(
        *(
            "ago",
            "yesterday",
            "today",
            "tonight",
            "tomorrow",
            "weekends?",
            "mornings?",
            "afternoons?",
            "evenings?",
            "noon",
        ),
        *("midnight", "midday", *(f"{day}s?" for day in _WEEKDAYS.split())),
        *(month for month in _MONTHS.split() if month not in ("march", "may")),
        *("christmas", "easter", "new year", "spring", "summer", "autumn", "winter", "fortnight"),
        r"(?:last|next|this|every|each|past|previous) (?:few |couple of |\d+ )?(?:week|month|year|day|time|night)s?",
        *(
            "recent(?:ly)?",
            "previous(?:ly)?",
            "as usual",
            "as always",
            "like last time",
            "the other day",
            "a couple of",
        ),
        *("a dozen", "half", "twice", "double", "hundreds?"),
        "(?:a few|several|many|some) (?:days|weeks|months|years|times|hours|nights)",
        "(?:an?|1|another) (?:week|month|year|hour|night)(?! (?:would|will|fall|come))",
        "for (?:ages|years|months|weeks|days|hours)",
    )
    + r"\b"
)
_GREETED = re.compile(
    r"\bgood (?:morning|afternoon|evening|day)\b|\b(?:nice|good|great|lovely|happy) \w*(?:day|weekend)\b"
)

_DONE = any_of(
    *("paid", "bought", "ordered", "booked", "reserved", "cancell?ed", "received", "returned", "used", "renewed"),
    *("extended", "filled", "refilled", "rented", "hired", "stayed", "eaten", "ate", "visited", "charged", "billed"),
    *("changed", "moved", "emailed", "complained", "claimed", "submitted", "registered", "joined", "exchanged"),
    *("delivered", "picked up", "collected", "deposited", "transferred", "owed"),
)
_EVER = r"(?: (?:already|just|been|never|only|once|always|also|all|recently|last|first|even))*"
_PAST = re.compile(
    rf"(?<!if )(?<!what )\b(?:(?:i|we|you|they|somebody|someone|your \w+)(?:'ve| have|'d| had| was| were)?|"
    rf"(?:it|which|that)(?:'s| has| had| was| were| got)){_EVER} (?P<done>{_DONE})\b"
)
_PROMISED = re.compile(
    r"\b(?:you|they|your \w+)(?:'ve| have|'d| had)? "
    r"(?P<said>told|promised|assured|confirmed|said|wrote|offered|agreed|refused)\b"
)

_INSIDE = re.compile(r"(?<=[\w,;] )[A-Z][\w'-]+")
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Prof|Sir|Madam|Aunt|Uncle)\.? ([A-Z][\w'-]+)")
_AT_THE_START = re.compile(
    r"(?:^|[.!?:;]\s+|\n)(?P<name>[A-Z][\w'-]+)"
    r"(?=,? (?:and (?:I|me|my)|will|would|is|was|has|had|said|says|told|tells|asked|asks|wants|needs|thinks|wrote|"
    r"recommended|can|could|should|may|might|does|did|likes|loves|insists|comes)\b)"
)
"""A word with a capital at the start of a sentence in which it does something: it may be somebody."""
_NO_NAMES = frozenset(
    (
        "i i'm i'd i've i'll ok it this that these those he she they we you there here which what who when where why "
        "how everything nothing something anything everybody nobody somebody everyone no one all none some most many "
        "half "
        "both each either neither mine yours ours somehow so then and but if should would could can may do does did is "
        "are was were has have had will money time work life dinner lunch travel weather today tonight another other "
        "people someone anyone whatever whichever whoever as at on in for from with please thanks thank yes not now my "
        "your our his her their its the a an only just also besides still once twice whether "
        f"{_MONTHS} jan feb mar apr jun jul aug sep sept oct nov dec {_WEEKDAYS} mon tue wed thu fri sat sun"
    ).split()
)


def wishes(text: str) -> Iterator[tuple[str, str]]:
    """What is to be done: the verb, and the words that go with it. From readable words."""
    position = 0
    while found := _WISH.search(text, position):
        end = _NEXT_CLAUSE.search(found["rest"])
        yield found["verb"], found["rest"][: end.start()] if end else found["rest"]
        position = max(found.end("verb"), position + 1)


def is_spoken_of(verb: str, words: str, known: set[str]) -> bool:
    """Whether a wish is one of those whose stems are known: its verb or one used for it, and what it is about."""
    about = stems(words)
    few = 1 if stem(verb) in known else 0
    return _is_known_act(verb, known) and ("⟦" in words or len(about) <= few or bool(about & known))


def _is_known_act(verb: str, known: set[str]) -> bool:
    wanted = stem(verb.partition(" ")[0])
    classes = _CLASSES.get(wanted, set())
    return wanted in known or verb in _FOR_ANYTHING or any(classes & _CLASSES.get(each, set()) for each in known)


def additions(text: str) -> set[str]:
    """The stems of words for what people like to ask for on top."""
    found = (stem(each[0].partition(" ")[0]) for each in _ADDED.finditer(text))
    return {_CALL if each in _RING else each for each in found}


_CALL, _RING = stem("call"), {stem("ring"), stem("phone")}


def is_known(addition: str, known: set[str]) -> bool:
    """Whether such a word is among known stems, or another for it."""
    return addition in known or (addition == _CALL and bool(_RING & known))


def others(text: str) -> set[str]:
    """Words for more of the same, without saying which."""
    return {found[0] for found in _OTHERS.finditer(text)}


def times(text: str) -> set[str]:
    """Words for days and stretches of time without a figure."""
    found = (each[0] for each in _TIMES.finditer(_GREETED.sub(" ", text)))
    return {re.sub(r"^(?:every|each|an?|per) ", "each ", each).removesuffix("s") for each in found}


def dealings(text: str) -> set[str]:
    """What is said to have been done already: the verbs as they stand there."""
    return {found["done"].partition(" ")[0] for found in _PAST.finditer(text)}


def promises(text: str) -> set[str]:
    """What the service is said to have said."""
    return {found["said"] for found in _PROMISED.finditer(text)}


def names(text: str) -> set[str]:
    """What looks like a name of somebody or something, as it is written; at the start of a sentence only what acts."""
    found = {*_INSIDE.findall(text), *(each["name"] for each in _AT_THE_START.finditer(text))}
    return {each for each in found if each.split("'")[0].casefold() not in _NO_NAMES} | set(_TITLED.findall(text))
