"""What an instruction asks to be told."""

from toolscale.checkers.asked.finding import AskedItem, asking_sentences, leaves_a_choice, may_lapse, questions

__all__ = ["AskedItem", "asking_sentences", "leaves_a_choice", "may_lapse", "questions"]
