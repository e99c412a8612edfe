"""Tasks of others beside domain tasks: questions with reference answers, and single steps of tool-calling chats."""
