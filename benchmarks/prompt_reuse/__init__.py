"""What sharing the beginnings of prompts saves: time and memory of whole samples."""
