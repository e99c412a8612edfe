"""The voices that every reference domain's users speak in, and what each puts around a request.

A domain words a request in `plain` and in whichever other voices it has something of its own to say; a voice that has
no wording for it takes over another's (`instead`), within its own opening, manner and close. All of this is templates
without slots (`wording.py`): sentences that ask for nothing, so that they can stand around any request.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolscale.reference.wording import Pen, render


@dataclass(frozen=True)
class Voice:
    """A manner of speaking."""

    name: str
    instead: tuple[str, ...]
    """Voices whose wording it borrows where it has none, the nearest first."""
    openings: str
    """What comes before the first request; may be empty."""
    asides: str
    """Small talk before the request, in some messages."""
    connectors: str
    """How it goes on to another request."""
    otherwise: str
    """How it goes on to what it wants if the last request cannot be met."""
    again: str
    """How it asks for the same once more, for another one: the slot is ``{again}``."""
    closings: str
    """How it wants to be served, after all requests."""


PLAIN = Voice(
    "plain",
    (),
    "[Hello.|Hi.|Good morning.|Hi there.|Hello, I hope you can help me.||]",
    "[I looked for this on your website but did not find it.|I was told that this is the right place to ask.|It is the "
    "first time that I contact you about this.|I am sorting out a few matters this morning.|"
    "I tried the telephone line before, but it was busy.]",
    "[One more thing: |There is something else: |Apart from that: |And a second matter: |Besides: ]",
    "[If that cannot be done, do this instead: |Should that not be possible, then this: |In case that is refused, "
    "here is what I want instead: ]",
    "[The same for {again}, please.|Please do exactly the same for {again}.|And the same goes for {again}.]",
    "[Please go ahead without asking me to confirm|Go ahead directly, no need to check back with me|You have my "
    "agreement to all of it, so please just do it], and [tell me how it turned out|let me know the outcome|tell me "
    "what came of it].",
)
TERSE = Voice(
    "terse",
    ("hurried", "plain"),
    "[hi.|hey.|||]",
    "[on mobile.|short on time.|from my phone, sorry for typos.|quick one.]",
    "[also: |next: |plus: |and: |2nd thing: ]",
    "[if not possible: |if that's a no, then: |if refused: ]",
    "[same for {again}.|ditto {again}.|and {again}, same.]",
    "[no need to confirm, just do it|just do it, don't ask back|go ahead, no confirmation], [report result|send me the "
    "result|then tell me].",
)
CHATTY = Voice(
    "chatty",
    ("plain",),
    "[Hello there, hope you are having a lovely day!|Hi! Me again, I am afraid!|Good morning, what a grey Monday it "
    "is!|Hello, hello!|Hi, you were so kind the last time!|Oh good, somebody is there!]",
    "[I have just made myself a cup of tea for this.|My neighbour swears by you, by the way.|I told my sister that I "
    "would finally get this done today!|You would not believe the week I have had.|The dog is barking, never mind him.|"
    "I always say that one should ask before one worries!]",
    "[Oh, and while I have you: |And before I forget: |Now, there is something else as well! |And then, since you are "
    "so kind: |Oh, one more little thing: ]",
    "[And if that will not work, let us do this instead: |If you have to say no to that, here is my plan B: ]",
    "[And would you do the very same for {again}?|Oh, and {again} as well, just the same way, please!|And whatever you "
    "do there, do it for {again} too!]",
    "[You need not ask me again, I trust you completely|Do not wait for my word, just go ahead|No need to check with "
    "me first, really], and [tell me all about how it went|let me know how it all worked out|then tell me what you "
    "managed]!",
)
FORMAL = Voice(
    "formal",
    ("plain",),
    "[Dear Sir or Madam,|Good morning.|To whom it may concern:|Dear customer service,|Good day.|]",
    "[I refer to our earlier correspondence.|I write to you with the following request.|I trust that this reaches the "
    "competent department.|Allow me to come straight to the matter.|I should appreciate your attention to what "
    "follows.]",
    "[In addition: |Furthermore: |I have a further request. |Moreover: |On a separate matter: ]",
    "[Should that be inadmissible, I request the following instead: |Failing that: |If the foregoing cannot be "
    "granted, I ask for this: ]",
    "[The same is requested in respect of {again}.|Kindly proceed in the same manner with {again}.|This applies "
    "equally to {again}.]",
    "[You may proceed without seeking my confirmation|No further confirmation on my part is required|I hereby give my "
    "consent in advance], and [I ask to be informed of the outcome|kindly report the result|please advise me of the "
    "result].",
)
HURRIED = Voice(
    "hurried",
    ("terse", "plain"),
    "[Quick one!|Hi, in a rush.|Sorry, no time!|Fast please:|Hey, hurry here.|]",
    "[My taxi is waiting.|Two minutes until my meeting.|Battery at four percent.|I am typing this on the stairs.|They "
    "are calling me already.]",
    "[And quickly: |Also, fast: |Next, quick: |And then: |One more, hurry: ]",
    "[If that can't be done, then this: |If it is a no, then: ]",
    "[Same for {again}, quick!|And {again}, the same!|Then {again} just like that.]",
    "[Don't ask back, just do it|No confirming, go|Just go ahead, I can't answer], [tell me the result|and send me the "
    "result|tell me when it's done]!",
)
NON_NATIVE = Voice(
    "non_native",
    ("plain",),
    "[Hello, excuse my English.|Good day, I need a help.|Hello sir, madam.|Hi, sorry for my language.|Good morning to "
    "you.|Hello, I write with a translator.]",
    "[In my country we do it by telephone.|I hope I explain good.|A friend helps me to write this.|I learn the "
    "language still.|I not found it in the page.]",
    "[And also please: |Other thing I want: |Then I have one more: |And after, please: |Also this: ]",
    "[If this is not possible, then please this: |If you can not do it, then I want: ]",
    "[The same please for {again}.|Also {again}, same thing.|For {again} please you make the same.]",
    "[Please make it directly, you not need to ask me|You can do all without my confirm|Please do, I say yes already], "
    "[and say me how it was|and after tell me the result|then inform me please].",
)
CONFUSED = Voice(
    "confused",
    ("plain", "chatty"),
    "[Hello? Am I right here?|Sorry, I am a bit lost.|I am not sure who to ask.|Hello, I hope that this makes "
    "sense.|Hm, where do I start.|Excuse me, this is all new to me.]",
    "[I think I pressed the wrong button before.|Somebody explained it to me, but I forgot half of it.|The letter that "
    "you sent me did not make it any clearer.|I wrote it down somewhere, let me see.|Somebody else usually does this "
    "for me.|I hope I am not mixing things up.]",
    "[And then there was something else, what was it, yes: |Oh, and I nearly forgot: |Also, if that is even possible: "
    "|Wait, there is more: |And, sorry, one other thing: ]",
    "[If that is not how it works, then maybe this instead: |Or, if one cannot do that, then please: ]",
    "[I think it was the same for {again}.|And {again}, that one too, the same thing.|Oh, and {again} needs the same, "
    "I believe.]",
    "[Please just do it, I get muddled when I am asked things|Do not ask me to confirm, I would only get confused|Go "
    "ahead, I trust you know better], and [explain to me what happened|tell me in the end what was done|say what came "
    "out of it].",
)

VOICES: Mapping[str, Voice] = {
    voice.name: voice for voice in (PLAIN, TERSE, CHATTY, FORMAL, HURRIED, NON_NATIVE, CONFUSED)
}
"""All voices by name."""

PERSONAS: Mapping[str, tuple[str, ...]] = {
    "plain": (
        "A schoolteacher who says what matters, in order.",
        "A retired nurse who likes things settled.",
        "An electrician who asks once and clearly.",
        "A librarian who prepares before writing.",
        "A teenager who has thought about what to write.",
    ),
    "terse": (
        "A programmer who writes messages like commit titles.",
        "A paramedic on night shift who has no time for full sentences.",
        "A chef who types with one thumb on a break.",
        "A student who finds capital letters a waste of time.",
        "A retired engineer who never wasted a word.",
    ),
    "chatty": (
        "A florist who tells the whole story around every request.",
        "A grandfather who is glad to have somebody to talk to.",
        "A hairdresser who makes friends with every clerk.",
        "A tour guide who is delighted by everything.",
        "A teenager who writes to everybody as to a friend.",
    ),
    "formal": (
        "A notary who words every message like a letter.",
        "An executive's assistant who arranges things for a living.",
        "A retired judge of the old school.",
        "A diplomat who never drops a courtesy.",
    ),
    "hurried": (
        "A sales representative between two meetings.",
        "A parent with a toddler on one arm.",
        "A musician whose rehearsal starts in five minutes.",
        "A courier who writes at red lights.",
        "A pensioner with a bus to catch.",
        "A pupil between two lessons.",
    ),
    "non_native": (
        "A warehouse worker who is still learning English.",
        "A visiting engineer who translates in the head while writing.",
        "An exchange student in the first month abroad.",
        "A seasonal worker who asks colleagues for the words.",
        "A pensioner who has moved abroad to be near the family.",
        "A teenager whose family has moved abroad.",
    ),
    "confused": (
        "A widower whose wife used to see to all the paperwork.",
        "A customer who would rather have gone to a counter.",
        "An artist who loses track of letters and numbers.",
        "A pensioner who is unsure whether this is the right place.",
    ),
}
"""Voice -> who speaks like that, in any domain."""


def wording(templates: Mapping[str, str], voice: str) -> str:
    """The template for a voice: its own, or that of the nearest voice which has one; `plain` at last."""
    return next(templates[name] for name in (voice, *VOICES[voice].instead, "plain") if name in templates)


def preamble(voice: Voice, asides: Iterable[str], pen: Pen) -> str:
    """What a user says before the first request: an opening, and in some messages a little more."""
    pool = [voice.asides, *asides]
    aside = render(pool[pen.alternative(len(pool))], {}, pen) if pen.alternative(3) else ""
    return "".join(f"{part} " for part in (render(voice.openings, {}, pen), aside) if part)
