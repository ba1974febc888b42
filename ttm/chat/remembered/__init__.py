"""What people gave the chat to remember: names of rows, and corrections that reviewers accepted."""
