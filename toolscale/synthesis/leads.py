"""What people say around a sentence that says nothing: "so", "could you", "thanks"."""

import re

_JOINING = (
    r"and|but|also|so|plus|oh|ah|well|right|okay|ok|now|look|yes|anyway|anyhow|besides|next|lastly|finally|what else|"
    r"you see|by the way|as it happens|on top of that|in addition|furthermore|moreover|apart from that|first of all|"
    r"to begin with|to start with|then there is this|something else|another thing|while i have you|"
    r"(?:and )?while (?:i'm|i am|we're|we are|you're|you are) at it|(?:and )?before i forget|(?:and )?a second matter|"
    r"(?:and )?one (?:more|last|other) (?:little )?thing|there is (?:also )?something else(?: too)?|"
    r"i have (?:another|a further) request(?:, too)?"
)
_REQUEST = (
    r"please|pls|kindly|(?:could|can|would|will) you(?: please| kindly)?|(?:may|might) i ask you to|"
    r"i (?:ask|want|need|must ask|have to ask) you to|i(?:'d| would) (?:also )?(?:like|love) you to|"
    r"i(?:'d| would| should) be (?:very |so |most )?(?:grateful|glad|obliged|happy|thankful) if you (?:could|would)|"
    r"i(?:'d| would) appreciate it if you (?:could|would)|it(?:'d| would) be (?:kind|good|lovely|great) if you could|"
    r"(?:would you )?(?:please )?be so (?:kind|good) as to|go ahead and|do me a favou?r and|what i need is for you to"
)
_ITEM = rf"(?:(?:{_JOINING})(?:[,:.!]| -)?|(?:{_REQUEST}),?)\s+"
LEAD = re.compile(rf"(?<![^\s,:;])(?:{_ITEM})+\Z", re.IGNORECASE)
"""Matches what leads over to a sentence, at the end of what stands before it."""

OWN_LEAD = re.compile(rf"(?:(?:and|also|plus|oh|so(?! that\b)),? )*(?:(?:{_REQUEST}),? )*", re.IGNORECASE)
"""Matches what leads over to a sentence, at its own start."""

REQUESTS = re.compile(rf"\b(?:{_REQUEST})\b", re.IGNORECASE)
"""Matches what only goes before something to be done."""

CONSEQUENCE = re.compile(
    rf"(?<!\w)(?<!ahead )(?<!favour )(?<!favor )(?:and|but|so|plus|yes),?\s+(?:(?:{_REQUEST}),?\s+)*\Z", re.IGNORECASE
)
"""Matches what may hang a sentence on the one before."""

JOINS = re.compile(r"\s*(?:and|but|also|so|plus)\b", re.IGNORECASE)
"""Matches what goes on in the same sentence."""

TO_DO = re.compile(
    r"(?:add|apply|arrange|book|buy|calculate|cancel|change|check|claim|close|compare|confirm|count|"
    r"do(?! (?:i|you|we|they)\b)|enter|exchange|extend|file|find|fix|get|give|go|have|hold|keep|leave|let|list|look|"
    r"make|mark|move|note|open|order|pause|pay|pick|place|prescribe|put|quote|record|refill|refund|register|release|"
    r"remind|remove|renew|rent|replace|report|request|reserve|return|see|sell|send|set|settle|show|sign|split|spread|"
    r"start|stop|suspend|swap|switch|take|tell|transfer|update|upgrade|use|work|write)\b",
    re.IGNORECASE,
)
"""Matches the verb with which something to be done begins."""

_GREETING = (
    r"(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day)|"
    r"dear (?:sir or madam|all|team))(?: there| all| again| everyone| everybody)?|"
    r"to whom it may concern|excuse me|(?:it's|it is) me again|sorry to (?:bother|trouble|disturb) you|"
    r"i hope you can help(?: me)?"
)
_THANKS = (
    r"(?:(?:many |a thousand |a million )?"
    r"thanks(?: (?:(?:ever )?so much|a lot|a million|a bunch|in advance|very much))?|"
    r"thank you(?: (?:(?:ever )?so|very) (?:much|kindly)| kindly| in advance)?)"
    r"(?: for your (?:help|time|trouble|patience))?|"
    r"cheers|ta|much (?:obliged|appreciated)|(?:kind|best|warm) (?:regards|wishes)|yours (?:sincerely|faithfully|truly)"
)
GREETED = re.compile(rf"(?:^|[.!?]\s)\s*(?:{_GREETING}),\s+\Z", re.IGNORECASE)
"""Matches a greeting that a sentence goes on after, at the end of what stands before that."""

IDLE = re.compile(rf"\b(?:{_GREETING}|{_THANKS})\b[,:]?", re.IGNORECASE)
"""Matches greetings, thanks and the like."""
