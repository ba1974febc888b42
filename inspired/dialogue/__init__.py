"""One dialogue: its steps and their intermediate answers, corrections, other readings, and INSPIRED records."""
