"""The words in which people ask to be told something, and those that only look like it. All are in lower case."""

import re


def _any(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


_FILLERS = _any(
    *("please", "also", "then", "just", "exactly", "roughly", "too", "again", "now", "afterwards?", "finally"),
    *("kindly", "in the end", "at the end"),
)
FILLED = rf"(?:{_FILLERS} )*"
_WH = _any(
    r"how (?:much|many|long|far|old|late|early|big|heavy|high|tall|large|few|often|soon)",
    *("what time", "what", "which", "when", "where", "who", "whom", "whose"),
)
QUESTION_WORD = (
    rf"(?:{_any('until', 'till', 'since', 'by', 'from', 'at', 'on', 'in', 'for', 'with', 'to', 'of')} )?{_WH}\b"
)
_AUXILIARY = _any(
    r"(?:is|are|am|was|were|do|does|did|will|would|can|could|should|shall|must|has|have|had|may|might)\b", r"'s\b"
)
_VALUE = (
    _any(
        *("price", "cost", "fee", "fare", "total", "sum", "amount", "balance", "refund", "deposit", "charge", "rate"),
        *("rent", "premium", "date", "day", "time", "hour", "deadline", "departure", "arrival", "number", "count"),
        *("name", "address", "code", "reference", "id", "phone", "telephone", "platform", "gate", "seat", "room"),
        *("duration", "length", "distance", "weight", "temperature", "score", "grade", "mark"),
    )
    + r"s?\b"
)
_NUMBER = _any(
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fourteen"),
    *("fifteen", "twenty", "thirty"),
)
_DETERMINER = r"(?:the|my|our|its|their|his|her|your|both|each|every)\b"

WH_ITEM = re.compile(rf"{FILLED}(?P<wh>{QUESTION_WORD})")
"""A question with its word: "how much it costs"."""
NOUN_ITEM = re.compile(rf"{FILLED}(?:{_DETERMINER}\s+[a-z]|(?:[a-z]+ )?{_VALUE}(?! (?:is|are|was|will)\b))")
"""A thing to be told: "the vet", "new price"."""
VALUE_ITEM = re.compile(
    rf"{FILLED}(?!all\b|more\b|another\b|\d|{_NUMBER}\b)(?:[\w-]+ ){{0,3}}?{_VALUE}(?! (?:on|with|by|i|we|that)\b)"
)
"""A thing that can only be told, not given or confirmed: "the price", not "the quiet room" nor "six days"."""
MONEY_ITEM = re.compile(
    r"(?:\w+ ){0,3}?(?:price|cost|fee|fare|total|amount|balance|refund|deposit|charge|premium|surcharge)s?\b"
    r"(?! (?:number|reference|code|date|id))"
)
BETWEEN_ITEMS = re.compile(
    r"\s*(?:,\s*(?:and|or|plus|as well as)\s+|,\s+|\s+(?:and|plus|as well as|along with)\s+|\s*;\s*|\s+-\s+)"
)

_ME_TOO = _any(*("please", "once more", "as well", "at once", "in advance", "briefly", "only"), _FILLERS)
_TO_KNOW = (
    r"(?:know|hear|learn|find out|be told)(?: from you)?"
    r"(?: more precisely| exactly| too| as well| please| at the end)?[:,]?"
)
_EAGER = _any(
    *("like", "love", "want", "need", "wish", "have", "ought", "curious", "happy", "glad", "keen", "dying", "eager")
)
_OFFICIAL = r"(?:please|kindly|and)(?: also)? (?:state|say|confirm|quote|specify)(?: to me)?"
_CUES_FOR_VALUES = _any(_OFFICIAL, r"(?:give|quote|read) (?:me|us)")
CUE = re.compile(
    r"\b"
    + _any(
        rf"(?:tell|remind|inform) (?:me|us)(?: {_ME_TOO})*,?(?: of| about)?",
        r"let (?:me|us)(?: please)? (?:also )?know,?",
        rf"{_EAGER}(?: also)?,? to(?: also)? {_TO_KNOW}",
        rf"ask(?: you| the agent| them)?(?: exactly)?(?= {QUESTION_WORD})",
        r"(?:do|would) you (?:happen to )?know",
        r"(?:have you )?any idea",
        r"(?:may|can|could|might) i (?:please )?(?:ask|know)(?: you)?,?",
        r"advise me of",
        r"(?:(?:i|you) wonder(?:ed)?|i am wondering|i'm wondering|wondering),?",
        rf"(?P<value>{_CUES_FOR_VALUES})",
    )
    + rf"\s+{FILLED}"
)
"""What leads over to the things that somebody asks to be told."""
ON_THE_WAY = re.compile(r"\b(?:stating|naming|specifying|quoting|indicating|telling (?:me|us))\b")
"""What may ask for something beside a request for an action: "move it, stating the old day and the new one"."""
NOT_ASKED = re.compile(
    r"(?:\bnot?|n't|\bnever|\bwithout|\bneedless|\binstead of|\brather than|\bbefore|\bnobody|\bnone)\b"
    r"(?: (?!forget|hesitate|fail)\w+){0,4} $"
)
BY_OTHERS = re.compile(r"\b(?:they|he|she|people|someone|somebody|friends?|colleagues?|website|letter) (?:\w+ )?$")
DO_NOT_FORGET = re.compile(r"(?:forget|hesitate|fail) to $")

_COMES_ABOUT = (
    r"(?:will |should )?(?:arrives?|leaves?|starts?|ends?|expires?|lands?|opens?|closes?|begins?|gets?|comes?|"
    r"departs?|runs?|"
    r"takes?|was|(?:is |are |be )?(?:due|at|here|there|delivered|taking)|is$|are$)"
)
_REPORT = (
    r"truth|result|outcome|reasons?|details?|news|story|particulars|situation|options?|answer|rest|best|upshot|"
    r"lot|call|ring|"
    r"hand|facts?|word|minute|moment|discount|same|way|next steps?|steps?|procedure|summary|alternatives?|"
    r"things?|matter|"
    r"status|conditions?|changes?|booking"
)
REPORT = re.compile(
    FILLED
    + _any(
        r"what (?:came|comes|has come|became|happened|happens|was done|is done|you (?:did|have done|managed|"
        r"found|find|could|"
        r"can|think|recommend|suggest|decided|need|would|'ve done)|i (?:can|could|should|have to|need to|must) do|"
        r"to (?:do|expect|bring)|else|the (?:result|outcome|matter)|(?:is|was|'s) (?:going on|wrong|happening|"
        r"up)|it was like|"
        r"my options|i (?:mean|said|want))\b",
        r"(?:when|once|as soon as) (?:you|i|we)\b",
        rf"(?:when|once|as soon as) (?:it|this|that|everything|all|they)\b(?! {_COMES_ABOUT})",
        r"(?:when|once|as soon as) (?:the|my) [\w ]+? (?:is|are|has|have) (?:been )?\w+ed\b",
        r"where (?:i|we) (?:stand|am|are)\b",
        r"who (?:i am|knows|cares)\b",
        r"(?:that|this) (?:day|week|weekend|month|morning|afternoon|evening|time)\b",
        rf"(?:the|your|all|any|every|a|my) (?:(?:short|brief|final|full|exact|whole|good|bad) )*(?:{_REPORT})\b"
        r"(?! (?:number|reference|code|fee|id))",
    )
)
"""A report of how it went, which no fact can be held to: "what you managed", "when it is done", "the outcome"."""

AUXILIARY_NEAR = re.compile(rf"(?:\S+ ){{0,4}}{_AUXILIARY}")
AUXILIARY_NEXT = re.compile(_AUXILIARY)
CLAUSE = re.compile(
    rf"(?:^|[,;:] |\b(?:and|but|so|then|or|also|plus|please|hello|hi)[,:]? )(?={FILLED}{QUESTION_WORD})"
)
WITHOUT_A_MARK = re.compile(
    FILLED
    + _any(
        rf"how (?:much|many)\b(?: \w+){{0,2}}? {_AUXILIARY}",
        r"what do i (?:owe|pay)\b",
        r"when (?:is|does|do|will)\b",
        rf"what(?:'s| is) (?:the|my) {_VALUE}",
    )
)
"""A question that needs no question mark to be one."""
RHETORICAL = re.compile(
    _any(
        r"what (?:about|if|for|could (?:possibly )?go|an? |else|(?:kind|sort) of service|on earth|the |more)",
        r"what (?:is|'s) (?:the point|up|wrong|going on|new|not to)",
        r"what (?:matters|counts|worries|bothers)(?! as\b)(?: \w+){0,3}? is\b",
        r"what (?:can|could|would|do|did|shall|should|must|am|are|will|may|does|has|have) (?:i|you|we|they|"
        r"one) (?:do|say|need|think|"
        r"recommend|suggest|offer|expect|have to do|supposed|going|even)",
        r"what (?:can|could) be\b",
        r"who (?:does|doesn't|do|don't|would|wouldn't|could|isn't|knows|else|cares|needs|has not|hasn't)\b",
        r"where (?:do|did|should|would) (?:i|we) (?:start|begin|go wrong)",
        r"where (?:has|did) (?:the )?time",
        r"when will (?:i|they) ever",
        r"which is (?:why|fine|great|a)",
        r"how (?:many times|long) (?:do|must|have) (?:i|one)\b",
        r"how much (?:longer|worse|simpler|easier)",
    )
)

POLITE_IF = re.compile(
    r"\bif (?:you (?:please|don't mind|do not mind|can|could|would|will|may|wouldn't mind)|i may(?: ask)?|"
    r"(?:at all )?possible|"
    r"that's ok(?:ay)?|it's no trouble|it is not too much trouble)\b"
)
_WHOSE = "the|any|my|your|his|her|its|our|their|no|one|none|nothing|anything|either|neither|both|you"
_IN_PLACE_OF_IF = (
    r"(?:^|[;:] |\bbut )where (?:it|this|that|they|these|one|any|none|nothing|there|the|my|his|her|its|an?|no)\b"
    rf"[^,;.?!]{{2,60}}, |\bshould (?:{_WHOSE})\b[^,;.?!]{{2,80}}, "
)
"""A condition without "if": "where they fall short, leave it", "should your rules forbid it, what is the last day"."""
UNDER_A_CONDITION = re.compile(
    r"\b(?:if|unless|in case|otherwise|or else|should (?:it|there|that|they|this)|so then|then leave|"
    r"(?:more|less|dearer|cheaper|later|earlier) than)\b|" + _IN_PLACE_OF_IF
)
CONDITION = re.compile(
    r"\b(?:if|unless|otherwise|or else|else|in case|in which case|in that case|provided|as long as|only when|only for|"
    r"so long as|on condition|conditional|failing that|should (?:it|there|that|they|the|this|any|my|you|no|one)|"
    r"depending|limit|budget|"
    r"up to|at most|no more than)\b|" + _IN_PLACE_OF_IF
)
CHOICE = re.compile(
    r"\b(?:\w{2,}est|most|least|best|worst|first|last|next|whichever|any|either|enough|only|except|but not|"
    r"other than)\b"
)
NOT_DONE = re.compile(
    r"\b(?:leave|leaves|keep|keeps|kept|skip|forget|drop|stays?|neither|nobody|only|unless|refuse|refrain|"
    r"hands off|abandon|"
    r"disregard|rather not|not to|won't|never mind|do without|come after all|"
    r"(?:do|does|did|would|will|shall|should|must|need|want)(?: not|n't)|"
    r"nothing(?: at all| else)?(?= ?[.!;,]| is to)|none(?= ?[.!;,])|no(?= ?[.!;,]| action| change| booking| order)|"
    r"(?:book|cancel|buy|order|do|change|reserve|add|pay|send|touch|take|make|transfer|put) (?:nothing|none|no ))"
)
"""That something is not to be done."""

NAMES_IT = re.compile(rf"{FILLED}(?:its|their|the) (?:number|name|reference|id|code)s?$")
"""The name of a thing that was asked for just before: "which one is it? Tell me its number"."""
IDLE = frozenset(
    [
        *("the", "a", "an", "my", "our", "its", "it", "their", "his", "her", "your", "is", "are", "was", "were", "be"),
        *("i", "me", "we", "us", "you", "they", "he", "she", "them", "this", "that", "these", "those", "do", "does"),
        *("did", "will", "would", "can", "could", "should", "has", "have", "had", "to", "of", "for", "on", "in", "at"),
        *(
            "by",
            "with",
            "from",
            "and",
            "much",
            "many",
            "how",
            "what",
            "which",
            "when",
            "where",
            "who",
            "exactly",
            "been",
        ),
        *(
            "please",
            "then",
            "also",
            "so",
            "far",
            "all",
            "price",
            "cost",
            "costs",
            "pay",
            "paid",
            "amount",
            "total",
            "am",
        ),
        *("sum", "come", "comes", "came", "charge", "charged", "time", "date", "day", "number", "altogether", "exact"),
        *("now", "there", "after", "up", "new", "take", "takes"),
    ]
)
"""Words that tell nothing of which thing is asked for."""

_NOT_OF_IT = r"(?!(?:that|which|who|whose|i|you|we|he|she|they|it|there|where|when|what|how|as|if|to)\b)"
STATEMENT = re.compile(
    rf"(?:{_NOT_OF_IT}\S+ ){{1,4}}(?:has|have|had|is|are|was|were|will|included|excluded|counted|deducted)\b"
)
"""What says something of a thing rather than name it: "its fee have gone out", "fee included"."""
