"""The seams to models of language: chat and completion, sequence to sequence, sentence embeddings, guided decoding."""
