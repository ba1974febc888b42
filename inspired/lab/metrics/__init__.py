"""What section 4 and appendix B of the paper measure on a set of dialogues, and the generation scores of section 5.2."""
