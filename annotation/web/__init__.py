"""The pages of a study: HTML and JavaScript of our own, served as JSON calls, so that nothing is lost with a server."""
