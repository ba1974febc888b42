"""The one seam to sequence-to-sequence models: any from the Hugging Face hub, two of our own, and a scripted fake."""
