"""Files of a study: exports, an archive, a Hugging Face data set, a backup."""
