"""Questions that go on from the one before."""
