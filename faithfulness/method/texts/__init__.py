"""Texts compared as readers compare them: words across scripts and normal forms, numbers however they are written."""
