"""Chat with a tabular model in plain language (TalkToModel, Slack et al.)."""
