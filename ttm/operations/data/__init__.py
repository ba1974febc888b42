"""The rows themselves: `countdata`, `show`, `label`."""
