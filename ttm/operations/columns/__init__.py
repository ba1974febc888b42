"""One column, or all of them, in numbers and words: `statistic`, `define`, `data`."""
