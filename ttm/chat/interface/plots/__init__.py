"""The pictures of other libraries: figures that matplotlib draws, and explanations that `shap.plots` draw."""
