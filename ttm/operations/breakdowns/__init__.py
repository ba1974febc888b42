"""Figures by group: `statistic F by G`, `score M by G`, `countdata by G`."""
