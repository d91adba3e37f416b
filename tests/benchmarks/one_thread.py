"""One thread for everybody: to be imported before anything that computes.

Two libraries then do the same work with the same means, and their ratio does not depend on how many cores are there or
free. Variables, because they reach the C libraries of all peers and the processes that are started for some rows.
"""

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)
os.environ.update(dict.fromkeys(VARIABLES, "1"), THREADS="0")  # THREADS is tinygrad's
