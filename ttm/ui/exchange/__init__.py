"""What passes between a person and the chat: questions that wait for their answers, and all of it as messages."""
