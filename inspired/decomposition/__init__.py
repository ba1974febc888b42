"""Question decomposition: a logical form as steps (sub-logical forms), and the corrections that steps can have."""
