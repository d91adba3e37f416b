"""Memory seen through strides: what connects a view to the tensor whose memory it shows.

After a write through any alias a view is a part of a base with a new history, whatever chain of operations first led to
it. All that still holds is where its elements lie in memory: sizes, strides and an offset. So the regenerated view is
`as_strided` of the base, and a write to a view changes the base through `CopySlices`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..autograd import node as nodes
from ..autograd.node import NodeKind, freed_error, gradient_edge, new_node, set_history
from ..autograd.variable import Edge, TensorBase
from .placing import see, zeros
from .primitive import op


class Geometry(NamedTuple):
    """Where a view lies in its base. Strides and offset in elements."""

    base_size: tuple[int, ...]
    base_stride: tuple[int, ...]
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int


def element_strides(array: Any) -> tuple[int, ...]:
    """The strides of an array in elements."""
    return tuple(step // array.itemsize for step in array.strides)


def address(array: Any) -> int:
    """Where the first element of an array lies in memory."""
    return int(array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr)


def storage_offset(view: TensorBase) -> int:
    """How many elements after the first of its base a view starts."""
    base = view._meta.base if view._meta is not None else None
    if base is None:
        return 0
    return (address(view._array) - address(base._array)) // view._array.itemsize


def geometry_of(view: TensorBase) -> Geometry:
    """Where `view` lies in its base."""
    base, array = view._meta.base._array, view._array
    return Geometry(base.shape, element_strides(base), array.shape, element_strides(array), storage_offset(view))


def _storage(like: Any, geometry: Geometry) -> tuple[Any, Any]:
    """A fresh array laid out as the base, and the part of it that the view shows."""
    span = 1 + sum((n - 1) * s for n, s in zip(geometry.base_size, geometry.base_stride, strict=True) if n)
    flat = zeros(like, (max(span, 1),))
    step = flat.itemsize

    def part(size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
        return see(flat[offset:], size, tuple(s * step for s in stride))

    base = part(geometry.base_size, geometry.base_stride, 0)
    return base, part(geometry.size, geometry.stride, geometry.offset)


@op("AsStridedBackward0", base=lambda grad, geometry: spread_out(grad, geometry))
def take_out(base, geometry):
    """The elements of the base that the view shows      g is put back there, 0 elsewhere"""
    laid_out, seen = _storage(base, geometry)
    laid_out[...] = base
    return seen.copy()


@op("AsStridedScatterBackward0", part=lambda grad, geometry: take_out(grad, geometry))
def spread_out(part, geometry):
    """Zeros in the layout of the base, with `part` where the view shows it; repeated elements are summed."""
    repeated = tuple(
        i for i, (size, step) in enumerate(zip(geometry.size, geometry.stride, strict=True)) if step == 0 and size > 1
    )
    laid_out, seen = _storage(part, geometry)
    if repeated:
        once = tuple(0 if i in repeated else slice(None) for i in range(len(geometry.size)))
        seen[once] = part.sum(axis=repeated)
    else:
        seen[...] = part
    return laid_out


@op(
    "AsStridedScatterBackward0",
    base=lambda grad, geometry: replaced(grad, zeros(grad, geometry.size), geometry),
    part=lambda grad, geometry: take_out(grad, geometry),
)
def replaced(base, part, geometry):
    """The base with `part` written where the view shows it      g of the written place goes to the part"""
    laid_out, seen = _storage(base, geometry)
    laid_out[...] = base
    seen[...] = part
    return laid_out


def _apply_as_strided(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    return (spread_out(grads[0], node.saved[0]),)


AsStrided = NodeKind(
    "AsStridedBackward0",
    _apply_as_strided,
    "The part of its base that a view shows, after a write.",
    members=lambda: {
        "_saved_size": property(lambda node: node.saved[0].size),
        "_saved_stride": property(lambda node: node.saved[0].stride),
        "_saved_storage_offset": property(lambda node: node.saved[0].offset),
    },
)
AsStrided.kept = lambda saved: saved


def remake_view_edge(view: TensorBase) -> Edge:
    """The edge of a view whose base has a new history: as_strided of the base."""
    return (new_node(AsStrided, (gradient_edge(view._meta.base),), view, (geometry_of(view), None)), 0)


nodes.remake_view_edge = remake_view_edge


def _apply_copy_slices(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    if node.saved is None:
        raise freed_error(node)
    geometry, _, write, _ = node.saved
    (grad,) = grads
    results = list(write.kind.apply(write, (take_out(grad, geometry),), create_graph))
    part = zeros(grad, geometry.size) if results[0] is None else results[0]
    return (replaced(grad, part, geometry), *results[1:])


CopySlices = NodeKind(
    "torch::autograd::CopySlices",
    _apply_copy_slices,
    "A base whose part was written through a view: g of that part goes through the operation that wrote it.",
)


def rebase_through_view(view: TensorBase, write: Any) -> None:
    """Give the base of `view` a new history: `write`, the node of what wrote the view, within the base."""
    base = view._meta.base
    edges = (gradient_edge(base), *write.edges[1:])
    node = new_node(CopySlices, edges, base, (geometry_of(view), 0, write, 0))
    set_history(base, node)


nodes.rebase_through_view = rebase_through_view
