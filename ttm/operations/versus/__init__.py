"""The same operation on several groups, side by side: `versus`."""
