"""The commands of `python -m ttm` that answer and write out; those that train and measure stand in `ttm.lab`."""

import os

# Before any of them imports numpy. Two that run side by side on all cores wait for one another most of the time: six messages
# of a conversation took each 56 s in place of 16. Alone they take 16 s in place of 14.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
