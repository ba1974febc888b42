"""The conversation: turns, undo and correction, the session of one person, suggestions, exports, the model card."""
