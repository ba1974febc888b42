"""The model: probabilities whatever its library, model files, training where nobody brought one."""
