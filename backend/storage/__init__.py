"""What is kept: the database and its migrations, results that took long to compute, corrections from chats."""
