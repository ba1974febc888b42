"""The commands of `python -m ttm` that answer and write out; those that train and measure stand in `ttm.lab`."""
