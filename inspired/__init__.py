"""Ask a knowledge base, see every step, correct any step (Mo et al., "INSPIRED", Findings of ACL 2022)."""
