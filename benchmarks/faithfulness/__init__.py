"""What runs of faithfulness cost: prompts that begin alike (`prompt_reuse.py`), and the client (`run_client.py`)."""
