"""Why a model predicts what it does: attributions, importance, counterfactuals, interactions and typical mistakes."""
