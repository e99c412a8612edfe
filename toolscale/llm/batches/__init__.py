"""OpenAI's Batch API: calls of stages that can wait, at half the price. Nobody who makes a call has to know."""

from toolscale.llm.batches.course import Course
from toolscale.llm.batches.endpoint import ENDED
from toolscale.llm.batches.jobs import made_at
from toolscale.llm.batches.waiting import BatchEnded, Batches

__all__ = ["ENDED", "BatchEnded", "Batches", "Course", "made_at"]
