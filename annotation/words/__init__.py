"""The sentences of a worker's screens in the language of their study."""
