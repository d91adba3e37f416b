"""Where elements lie: putting gradients back to where they were taken from, and the order of memory."""

from __future__ import annotations

import numpy as np

from .devices import module_of


def element_strides(array):
    """How many elements to go on in memory for the next one along each dimension."""
    size, strides = array.itemsize, array.strides
    if len(strides) == 2:  # by far the commonest, and asked for at every matrix product
        rows, columns = strides
        return rows // size, columns // size
    return tuple([step // size for step in strides])


def check_ndim(ndim):
    """Raise NotImplementedError for more dimensions than numpy's arrays have."""
    if ndim > 64:
        raise NotImplementedError(f"minigrad: a tensor has at most 64 dimensions, as arrays of numpy's, and not {ndim}")


def zeros(like, shape):
    """Zeros of any shape, in the type and the place of `like`."""
    if not shape:  # cupy takes shape=() for none given
        return np.zeros_like(like, shape=(1,)).reshape(())
    return np.zeros_like(like, order="C", shape=shape)


def zero_beside(like):
    """0 beside the raw array `like`: numpy is twice as fast with an array of that type."""
    return _ZEROS.get(like.dtype, 0) if type(like) is np.ndarray else 0


def one_beside(like):
    """1 beside the raw array `like`: as for 0."""
    return _ONES.get(like.dtype, 1) if type(like) is np.ndarray else 1


_ZEROS, _ONES = ({np.dtype(type): np.array(number, type) for type in "efd"} for number in (0, 1))


def arange(count, like):
    """0 … count - 1, in the place of `like`."""
    return module_of(like).arange(count)


def see(array, shape, strides):
    """The memory of a raw array seen in another shape, with other strides in bytes. It may be written."""
    if type(array) is np.ndarray and array.flags.c_contiguous:  # as as_strided, in a tenth of the time
        return np.ndarray(shape, array.dtype, array, strides=strides)
    return module_of(array).lib.stride_tricks.as_strided(array, shape, strides)


def expanded(array, shape):
    """An array shown in a larger shape: np.broadcast_to, for numpy's own six times as fast."""
    new = len(shape) - array.ndim
    if type(array) is np.ndarray and new >= 0:
        steps = [0] * new
        for own, size, step in zip(array.shape, shape[new:], array.strides):
            if own != size and own != 1:
                break  # broadcast_to tells what is wrong
            steps.append(step if own == size else 0)
        else:
            return see(array, shape, steps)
    return np.broadcast_to(array, shape)


# ---------------------------------------------------------------------------------------------------------------------
# How the dimensions of an array lie in memory


def copied(array):
    """A raw copy with the dimensions in the same order in memory."""
    return array.copy(order_of(array))


def order_of(array):
    """How numpy is to lay out a copy: as the array; what is expanded has no order, and is put in one."""
    return "C" if array.flags.c_contiguous or 0 in array.strides else "K"


def in_order(array):
    """A raw array whose last dimension lies closest together in memory: the array itself, or a copy."""
    return array if array.flags.c_contiguous else array.copy()


def images_in_order(array):
    """The same; but images whose channels lie closest together (of `permute(0, 3, 1, 2)`) stay as they are."""
    return array if array.ndim == 4 and array.transpose(0, 2, 3, 1).flags.c_contiguous else in_order(array)


def address(array):
    """Where the first element of an array lies in memory."""
    return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)


def is_dense(array):
    """Whether the elements fill one block of memory, each its own place."""
    if array.flags.c_contiguous:
        return True
    last = sum((size - 1) * step for size, step in zip(array.shape, array.strides))
    return not repeats(array) and last + array.itemsize == array.nbytes


def repeats(array):
    """Whether elements share their memory, as after `expand`."""
    if 0 not in array.strides or not array.size:
        return False
    return any(step == 0 and size > 1 for step, size in zip(array.strides, array.shape))
