"""Memory seen through strides: what connects a view to the tensor whose memory it shows.

After a write through any alias a view is a part of a base with a new history, whatever chain of operations first led to
it. All that still holds is where its elements lie in memory: sizes, strides and an offset. So the regenerated view is
`as_strided` of the base, and a write to a view changes the base through `CopySlices`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd import node as nodes
from ..autograd.node import NodeKind, freed_error, gradient_edge, new_node, set_history
from ..autograd.variable import NO_EDGE, Edge, TensorBase, make_tensor
from ..autograd.views import show
from .placing import element_strides, see, zeros


class Geometry(namedtuple("Geometry", "base_size base_stride size stride offset")):
    """Where a view lies in its base. Strides and offset in elements."""

    __slots__ = ()


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


def _storage(like: Any, geometry: Geometry) -> tuple[Any, Any, Any]:
    """Fresh memory of zeros, an array on it that is laid out as the base, and the part that the view shows."""
    span = 1 + sum((n - 1) * s for n, s in zip(geometry.base_size, geometry.base_stride, strict=True) if n)
    flat = zeros(like, (max(span, 1),))
    step = flat.itemsize

    def part(size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
        return see(flat[offset:], size, tuple(s * step for s in stride))

    base = part(geometry.base_size, geometry.base_stride, 0)
    return flat, base, part(geometry.size, geometry.stride, geometry.offset)


def take_out(base: Any, geometry: Geometry) -> Any:
    """The elements of a raw base that the view shows."""
    _, laid_out, seen = _storage(base, geometry)
    laid_out[...] = base
    return seen.copy()


def spread_out(part: Any, geometry: Geometry) -> Any:
    """Raw zeros in the layout of the base, with `part` where the view shows it; repeated elements are summed."""
    _, laid_out, seen = _storage(part, geometry)
    repeated = tuple(i for i, (size, step) in enumerate(zip(seen.shape, seen.strides)) if step == 0 and size > 1)
    if repeated:
        seen = seen[tuple(0 if i in repeated else slice(None) for i in range(seen.ndim))]
        part = part.sum(axis=repeated)
    seen[...] = part
    return laid_out


def replaced(base, part, geometry):
    """A raw copy of the base with `part` written where the view shows it."""
    _, laid_out, seen = _storage(base, geometry)
    laid_out[...] = base
    seen[...] = part
    return laid_out


def _apply_as_strided(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    geometry, (grad,) = node.saved[0], grads
    if not create_graph:
        return (spread_out(grad, geometry),)
    # On tensors as PyTorch does it: g is written into zeros through a view, and another view shows the whole.
    from .inplace import copy_
    from .shape import squeeze_dim

    memory, laid_out, seen = _storage(grad._value, geometry)
    if not seen.size:
        return (make_tensor(laid_out),)
    for dim in reversed(range(seen.ndim)):
        if seen.shape[dim] > 1 and seen.strides[dim]:
            continue
        grad = squeeze_dim(grad, dim) if seen.shape[dim] == 1 else grad.sum(dim)
        seen = seen[(*(slice(None),) * dim, 0, ...)]  # the dots keep it an array: a number would not be written
    storage = make_tensor(memory)
    copy_(show(storage, seen), grad)
    return (_view_of(storage, laid_out),)


def _view_of(base: TensorBase, array: Any) -> Any:
    """`array`, a part of the memory of `base`, as a tensor."""
    view = show(base, array)
    if base._edge is not NO_EDGE:
        view._meta.view_edge = remake_view_edge(view)
    return view


AsStrided = NodeKind(
    "AsStridedBackward0",
    _apply_as_strided,
    "The elements of the base that the view shows      g is put back there, 0 elsewhere",
    members=lambda: {
        "_saved_size": property(lambda node: node.saved[0].size),
        "_saved_stride": property(lambda node: node.saved[0].stride),
        "_saved_storage_offset": property(lambda node: node.saved[0].offset),
    },
)
AsStrided.kept = lambda saved: saved


def remake_view_edge(view: TensorBase) -> Edge:
    """The edge of a view whose base has a new history: as_strided of the base."""
    return new_node(AsStrided, (gradient_edge(view._meta.base),), view, (geometry_of(view), None))


nodes.remake_view_edge = remake_view_edge


def _apply_copy_slices(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    if node.saved is None:
        raise freed_error(node)
    geometry, _, write, _ = node.saved
    (grad,) = grads
    if create_graph:
        return _copy_slices_recorded(grad, geometry, write)
    results = write.kind.apply(write, [take_out(grad, geometry)], False)
    part = zeros(grad, geometry.size) if results[0] is None else results[0]
    return (replaced(grad, part, geometry), *results[1:])


def _copy_slices_recorded(grad: Any, geometry: Geometry, write: Any) -> Sequence[Any]:
    """The same on tensors, and as PyTorch does it: g is copied, and the part is written into it through a view."""
    from .inplace import copy_
    from .pointwise import clone

    _, laid_out, seen = _storage(grad._value, geometry)
    result = make_tensor(laid_out)
    copy_(result, grad)
    part = _view_of(result, seen)
    of_part, *others = write.kind.apply(write, (clone(part),), True)
    copy_(part, make_tensor(zeros(grad._value, geometry.size)) if of_part is None else of_part)
    return (result, *others)


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
