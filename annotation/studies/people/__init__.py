"""Who takes part: workers and leads, their accounts, how they join and sign in."""
