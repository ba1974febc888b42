"""Talk about the conversation and the system: `model`, `function`, `self`, `followup`."""
