"""The pages and calls of a worker: qualification, the task, their own answers."""
