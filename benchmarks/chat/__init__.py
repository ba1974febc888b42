"""Many people at once: how fast they are answered, also with attackers among them."""
