"""How single rows answer to one feature: `ice`, `dependence`, `otherwise`."""
