"""Putting gradients back where elements were taken from: the transpose of reading `array[index]`."""

from __future__ import annotations

import numpy as np

from .primitive import op


def embed(grad, shape, index):
    """Zeros of `shape`, with `grad` added at `index`: the transpose of reading `array[index]`."""
    result = np.zeros_like(grad, shape=shape)
    if _has_arrays(index):
        np.add.at(result, index, grad)  # one element may have been read several times
    else:
        result[index] = grad
    return result


def _has_arrays(index):
    if hasattr(index, "shape"):
        return index.dtype.kind != "b"  # a mask names each element once
    return any(hasattr(i, "shape") for i in index)


@op("SelectBackwardBackward0", grad=lambda grad, index: grad[index])
def put_part(grad, shape, index):
    """Zeros with a part filled in      the gradient of the part is that part of g"""
    return embed(grad, shape, index)
