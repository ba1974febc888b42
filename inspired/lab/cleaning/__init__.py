"""Find sub-questions that do not say what their step asks, by cycle consistency (section 4.2, appendix A.5)."""
