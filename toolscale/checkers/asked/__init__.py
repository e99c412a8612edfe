"""What an instruction asks to be told."""

from toolscale.checkers.asked.finding import Question, asking_sentences, leaves_a_choice, may_lapse, questions

__all__ = ["Question", "asking_sentences", "leaves_a_choice", "may_lapse", "questions"]
