"""From which value of a feature on the model decides otherwise."""
