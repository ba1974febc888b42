"""The scripts and styles of a page in few requests: Gradio's own files as one, and the Plotly of figures in a plane."""
