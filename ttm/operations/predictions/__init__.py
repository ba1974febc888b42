"""What the model predicts, and how likely it finds each class: `predict`, `likelihood`."""
