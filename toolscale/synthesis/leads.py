"""What people say around a sentence that says nothing: "so", "could you", "thanks"."""

import re

_JOINING = (
    r"and|but|also|so|plus|oh|ah|well|right|okay|ok|now|look|anyway|anyhow|besides|by the way|as it happens|"
    r"you see|"
    r"(?:and )?while (?:i'm|i am|we're|we are|you're|you are) at it|while i have you|on top of that|"
    r"in addition|"
    r"furthermore|moreover|(?:and )?one (?:more|last|other) (?:little )?thing|something else|another thing|"
    r"(?:and )?a second matter|there is (?:also )?something else(?: too)?|i have (?:another|"
    r"a further) request(?:, too)?|"
    r"then there is this|(?:and )?before i forget|apart from that|first of all|to begin with|to start with|"
    r"lastly|finally|"
    r"what else|next|yes"
)
_REQUEST = (
    r"please|pls|kindly|(?:could|can|would|will) you(?: please| kindly)?|may i ask you to|"
    r"might i ask you to|i ask you to|i (?:must|have to) ask you to|i(?:'d| would) (?:also )?(?:like|"
    r"love) you to|"
    r"i(?:'d| would) be (?:very |so |most )?(?:grateful|glad|obliged|happy|thankful) if you (?:could|would)|"
    r"i(?:'d| would) appreciate it if you (?:could|would)|(?:would you )?(?:please )?be so (?:kind|good) as to|"
    r"i (?:want|need) you to|go ahead and|do me a favou?r and|it(?:'d| would) be (?:kind|good|lovely|"
    r"great) if you could|"
    r"what i need is for you to|my request is that you"
)
_ITEM = rf"(?:(?:{_JOINING})(?:[,:.!]| -)?|(?:{_REQUEST}),?)\s+"
LEAD = re.compile(rf"(?<![^\s,:;])(?:{_ITEM})+\Z", re.IGNORECASE)
"""Matches what leads over to a sentence, at the end of what stands before it."""

OWN_LEAD = re.compile(rf"(?:(?:and|also|plus|oh|so),? )*(?:(?:{_REQUEST}),? )*", re.IGNORECASE)
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
    r"(?:add|apply|arrange|book|buy|calculate|cancel|change|check|claim|close|compare|confirm|count|do|"
    r"enter|exchange|"
    r"extend|file|find|fix|get|give|go|have|hold|keep|leave|let|list|look|make|mark|move|note|open|order|"
    r"pause|pay|pick|"
    r"place|prescribe|put|quote|record|refill|refund|register|release|remind|remove|renew|rent|replace|"
    r"report|request|"
    r"reserve|return|see|sell|send|set|settle|show|sign|split|spread|start|stop|suspend|swap|switch|take|"
    r"tell|transfer|"
    r"update|upgrade|use|work|write)\b",
    re.IGNORECASE,
)
"""Matches the verb with which what is to be done begins."""

IDLE = re.compile(
    r"\b(?:(?:hi|hello|hey|hiya|howdy|good (?:morning|afternoon|evening|day)|greetings|dear (?:sir or madam|"
    r"all|team))"
    r"(?: there| all| again| everyone| everybody)?|to whom it may concern|excuse me|sorry to (?:bother|"
    r"trouble|disturb) you|"
    r"(?:many |a thousand |a million )?thanks(?: (?:so much|a lot|a million|a bunch|in advance|very much))?"
    r"(?: for your (?:help|time|trouble|patience))?|"
    r"thank you(?: (?:so|very) (?:much|kindly)| kindly| in advance)?(?: for your (?:help|time|trouble|"
    r"patience))?|cheers|"
    r"much (?:obliged|appreciated)|(?:kind|best|warm) (?:regards|wishes)|yours (?:sincerely|faithfully|truly)|"
    r"i hope you can help(?: me)?|(?:it's|it is) me again|ta)\b[,:]?",
    re.IGNORECASE,
)
"""Matches greetings, thanks and the like."""
