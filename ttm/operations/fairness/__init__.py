"""How a classifier treats the groups that a feature makes: `fairness`."""
