"""What is collected, one file each; such a file may use the logic of the package whose data it collects."""
