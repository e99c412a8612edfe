"""Words without their endings and without what says nothing, to compare what two texts speak of."""

import re
from functools import lru_cache

_WORD = re.compile(r"(?<![⟦\w])[a-z]{3,}(?:'[a-z]+)?")
_ENDING = re.compile(r"(?:'s|n't|'ll|'ve|'re|'d|'m)$")
_INFLECTED = (
    *("ations", "ation", "ments", "ment", "ingly", "ings", "ing", "ied", "ies", "ers", "er", "ed", "es", "s", "e", "y"),
)
_STEM_AT_LEAST = 3
_IRREGULAR = {
    **{
        "paid": "pay",
        "bought": "buy",
        "sold": "sell",
        "sent": "send",
        "found": "find",
        "chosen": "choose",
        "lent": "lend",
    },
    **{"brought": "bring", "left": "leave", "kept": "keep", "spent": "spend", "written": "write", "wrote": "write"},
    **{"took": "take", "taken": "take", "gave": "give", "given": "give", "withdrawn": "withdraw", "meant": "mean"},
}

_SAYING_NOTHING = frozenset(
    re.findall(
        r"\S+",
        "the and but for nor yet with without from into onto upon over under about after before until till than then "
        "there here this that these those which what who whom whose when where why how much many any some all both "
        "each every either neither none not only just also too again once even still ever never always very quite "
        "rather really you your yours our ours mine his her hers its their theirs they them she him myself yourself "
        "itself one ones are was were been being has had have having does did doing done can could will would shall "
        "should may might must want wants wanted wish like love need needs needed please pls kindly thanks thank "
        "sorry hello dear okay well get gets got getting give gives given take takes taken make makes made put puts "
        "let lets tell say says said know see look looks come comes came going goes went gone thing things way anyway "
        "such same other another else more most less least few lot lots bit kind sort out off down back because since "
        "while though although however therefore now today right sure maybe perhaps possible able time day days date "
        "number name amount total sum cost costs price would'd i'd i'm i've i'll it's that's don't isn't won't can't "
        "cannot ask asks asked somebody someone anybody everybody nobody go do it is be by to of in on at as or if so "
        "no up we us me my he am an a i ",
    )
)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """A word without its ending, good enough to compare two forms of one word."""
    word = _ENDING.sub("", word)
    word = _IRREGULAR.get(word, word)
    for ending in _INFLECTED:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_AT_LEAST:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > _STEM_AT_LEAST and word[-1] == word[-2] else word


def stems(text: str) -> set[str]:
    """The stems of the words of a text that say something."""
    return {stem(word) for word in _WORD.findall(text.casefold()) if word not in _SAYING_NOTHING}
