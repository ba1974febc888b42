"""The operations of the language, one family a file: syntax tree, rules, surface, words and examples."""
