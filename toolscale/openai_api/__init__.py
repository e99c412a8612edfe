"""OpenAI's chat completions from the side that answers: what goes over the wire, and the process that serves it."""
