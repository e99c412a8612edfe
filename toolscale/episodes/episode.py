"""The loop of user, agent and tools that yields a trajectory."""

from typing import Literal

from toolscale.artifacts import Task, Trajectory
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import Message, answer_tool_calls
from toolscale.episodes.user import DirectUser, SimulatedUser, User, UserFault
from toolscale.llm import Gateway, Offer, Unanswerable
from toolscale.prompts import render

UserMode = Literal["direct", "simulated"]
Termination = Literal["done", "turn_limit", "agent_error", "user_error", "environment_error"]

MAX_TURNS = 50
"""The paper's limit on an agent's turns (section 4.1)."""


async def run_episode(
    task: Task,
    sandbox: Sandbox,
    gateway: Gateway,
    *,
    attempt: int = 0,
    user_mode: UserMode = "direct",
    max_turns: int = MAX_TURNS,
    seed: int = 0,
) -> Trajectory:
    """One attempt of the agent at a task.

    The agent sees the policy, the conversation and the tools, nothing of the task's golden calls. A turn is one message
    of the agent. The episode ends when the user is done, at the turn limit, or when a side cannot go on.

    Raises:
        GatewayError: the endpoint failed; that is nobody's attempt, and nothing that was answered is lost.
    """
    user: User = DirectUser(task) if user_mode == "direct" else SimulatedUser(task, gateway, seed=seed, sample=attempt)
    session = Session(sandbox)
    spec = sandbox.spec
    system = render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=user_mode == "direct")
    offer = Offer.of(spec.tools())
    conversation: list[Message] = []
    prompt_tokens = completion_tokens = 0
    termination: Termination = "turn_limit"
    users_turn = True
    for _ in range(max_turns + 1):
        if users_turn:
            try:
                said = await user.says(conversation)
            except (UserFault, Unanswerable):
                termination = "user_error"
                break
            if said is None:
                termination = "done"
                break
            conversation.append({"role": "user", "content": said})
        if sum(message["role"] == "assistant" for message in conversation) == max_turns:
            break
        try:
            reply = await gateway.chat(
                "agent",
                [*system, *conversation],
                offer,
                stage="episode",
                domain=spec.domain,
                task=task.id,
                seed=seed,
                sample=attempt,
            )
        except Unanswerable:
            termination = "agent_error"
            break
        prompt_tokens += reply.prompt_tokens
        completion_tokens += reply.completion_tokens
        conversation.append(reply.message)
        users_turn = not reply.message.get("tool_calls")
        conversation += await answer_tool_calls(reply.message, session)
        if not session.replay.alive:
            termination = "environment_error"
            break
    return Trajectory(
        task_id=task.id,
        attempt=attempt,
        messages=[*system, *conversation],
        calls=list(session.replay.outcomes),
        agent_messages=[
            message["content"] for message in conversation if message["role"] == "assistant" and message.get("content")
        ],
        termination=termination,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
    )
