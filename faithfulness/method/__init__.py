"""The method of the paper on one sample: sufficient regions, necessary keywords, the faithfulness score."""
