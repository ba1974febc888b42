"""The review of parses: corrections from the chat and imported suites become gold parses."""
