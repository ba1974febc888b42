"""The default parser: mentions by rule, decisions by a small encoder that learned them from people's messages."""
