"""A query as a picture: what stands for what, in layers, as SVG."""
