"""Views: a tensor on the memory of another, and what a write through one means for the graph.

After a write through any alias a view is a part of a base with a new history, whatever chain of operations first led to
it. All that still holds is where its elements lie in memory: sizes, strides and an offset. So the regenerated view is
`as_strided` of the base, and a write to a view changes the base through `CopySlices`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from ..memory import address, element_strides, see, zeros
from ..refusals import refused
from .grad_mode import mode, unusual
from .hooks import extras_of
from .node import grad_fn, gradient_edge, new_node, node_type, requires_grad
from .saved import unpack
from .variable import NO_EDGE, AutogradMeta, Edge, TensorBase, make_tensor, meta_of, pair_of

# How a view came about: why a write to its memory cannot be recorded, and the name of the error that says so.
NO_GRAD = "view made under no_grad"
INFERENCE = "view made in inference_mode"
SEVERAL = "one of several views"
FUNCTION = "view made by a Function"


class ViewMeta(AutogradMeta):
    """What autograd knows of a view."""

    edge: Edge | None = NO_EDGE  # None: this view is a leaf of its own
    version = 0  # at which that edge was right
    forbids_inplace: str | None = None  # why it must not be written while recording

    def edge_of(self, view: TensorBase) -> Edge | None:
        """The gradient edge of the view, remade if its memory was written since last asked for. None for a leaf.

        A write through any alias gives the base a new history, and the view is then a part of *that* base.
        """
        version = int(view._version_counter[0])
        if self.version != version and ((self.edge or NO_EDGE) is not NO_EDGE or requires_grad(self.base)):
            if self.forbids_inplace is not None:
                raise refuse_write(view, through_alias=True)
            to_base = new_node(AsStrided, (gradient_edge(self.base),), view, (geometry_of(view), None))
            old, self.edge, self.version = self.edge, to_base, version
            retain_at(view, old, self.edge)
        return LOST_EDGE if self.edge is NO_EDGE and requires_grad(self.base) else self.edge


#: The gradient edge of a view that was made without recording from a tensor that needs a gradient: operations on it are
#: recorded, but its gradient goes nowhere. (Equal to NO_EDGE and not the same.)
LOST_EDGE: Edge = tuple([None, 0])  # type: ignore[assignment]  # noqa: C409


def show(base: TensorBase, array: Any) -> Any:
    """A tensor on `array`, which is a part of the memory of `base`: they share one version counter."""
    result = make_tensor(array)
    result._counter = base._version_counter
    base_meta: Any = base._meta
    if base_meta is not None and base_meta.is_inference:
        meta_of(result).is_inference = True
        return result
    result._meta = meta = ViewMeta()
    meta.base = base
    meta.version = int(result._counter[0])
    if unusual and not mode.enabled:
        meta.forbids_inplace = INFERENCE if mode.inference else NO_GRAD
    if base_meta is not None and base_meta.base is not None:
        meta.base = base_meta.base
        if meta.forbids_inplace is None:
            meta.forbids_inplace = base_meta.forbids_inplace
    if array.dtype.kind == "f":
        result._edge = None
    return result


#: Where a view lies in its base. Strides and offset in elements.
Geometry = namedtuple("Geometry", "base_size base_stride size stride offset")


def storage_offset(view: Any) -> int:
    """How many elements after the first of its base a view starts."""
    if view._base is None:
        return 0
    return (address(view._array) - address(view._base._array)) // int(view._array.itemsize)


def geometry_of(view: Any) -> Geometry:
    """Where `view` lies in its base."""
    base, array = view._meta.base._array, view._array
    return Geometry(base.shape, element_strides(base), array.shape, element_strides(array), storage_offset(view))


def _zeros(like: Any, geometry: Geometry) -> tuple[Any, Any]:
    """A tensor of zeros that is laid out as the base, and the part of it that the view shows."""
    base_size, base_stride, size, stride, offset = geometry
    span = 1 + sum((n - 1) * s for n, s in zip(base_size, base_stride, strict=True) if n)
    memory = zeros(like, (max(span, 1),))
    step = memory.itemsize
    whole = make_tensor(see(memory, base_size, tuple(s * step for s in base_stride)))
    return whole, show(whole, see(memory[offset:], size, tuple(s * step for s in stride)))


def _apply_as_strided(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    """The gradient of the part, put back in zeros in the layout of the base; what shares its memory is summed."""
    geometry = node._saved[0]
    grad = grads[0] if create_graph else make_tensor(grads[0])
    repeated = tuple(d for d, (n, step) in enumerate(zip(geometry.size, geometry.stride)) if n > 1 and not step)
    if repeated:  # by `expand`, the only way in which elements of a view come to share their memory
        grad = grad.sum(axis=repeated, keepdims=True)
        geometry = geometry._replace(size=tuple(grad.shape))
    whole, part = _zeros(grad._value, geometry)
    part.copy_(grad)
    return (whole if create_graph else whole._value,)


AsStrided = node_type(
    "AsStridedBackward0",
    _apply_as_strided,
    "The elements of the base that the view shows      g is put back there, 0 elsewhere",
)
AsStrided._saved_size = property(lambda node: node._saved[0].size)
AsStrided._saved_stride = property(lambda node: node._saved[0].stride)
AsStrided._saved_storage_offset = property(lambda node: node._saved[0].offset)


def _apply_copy_slices(node: Any, grads: Sequence[Any], create_graph: bool) -> Sequence[Any]:
    """The gradient, copied; the part goes through the operation that wrote it, and back into its place."""
    geometry, write = unpack(node)
    grad = grads[0] if create_graph else make_tensor(grads[0])
    whole, part = _zeros(grad._value, geometry)
    whole.copy_(grad)
    of_part = part.clone()
    of_part, *others = write._apply([of_part if create_graph else of_part._array], create_graph)
    if of_part is None:
        part.zero_()
    else:
        part.copy_(of_part if create_graph else make_tensor(of_part))
    return (whole if create_graph else whole._value, *others)


CopySlices = node_type(
    "torch::autograd::CopySlices",
    _apply_copy_slices,
    "A base whose part was written through a view: g of that part goes through the operation that wrote it.",
)


def rebase_history(tensor: Any, node: Any, output_nr: int = 0) -> None:
    """Make `node` the history of `tensor` after a write in place; of its base, if it is a view."""
    base = tensor._base
    if base is None:
        set_history(tensor, node, output_nr)
        return
    edges = (gradient_edge(base), *node._edges[1:])
    set_history(base, new_node(CopySlices, edges, base, (geometry_of(tensor), None, node, 0)))
    gradient_edge(tensor)  # now, as in PyTorch: the base may be detached before it is asked for


def set_history(tensor: Any, node: Any, output_nr: int = 0) -> None:
    """Make `node` the one that computed `tensor`, after a write in place. A gradient that is retained stays so.

    A view comes here only from `x.t_()` and the like, which write no numbers: its base keeps its history.
    """
    meta, edge = tensor._meta, (node, output_nr)
    if tensor._base is None:
        old, tensor._edge = tensor._edge, edge
    else:
        old, meta.edge = meta.edge, edge
        meta.version = int(tensor._version_counter[0])
    retain_at(tensor, old, edge)


def retain_at(tensor: TensorBase, old: Edge | None, new: Edge) -> None:
    """Let the gradient of `tensor`, if it is to be retained, be caught at another node."""
    (old_node, old_nr), (node, output_nr) = pair_of(old or NO_EDGE), pair_of(new)
    if tensor._meta is not None and tensor._meta.retains_grad and old_node is not None:
        extras_of(node).retaining[output_nr] = extras_of(old_node).retaining.pop(old_nr)


def check_inplace(tensor: Any, *others: Any) -> None:
    """Raise PyTorch's error if writing `tensor` now, with a result of it and `others`, would make gradients wrong."""
    meta, base = tensor._meta, tensor._base
    if tensor.is_inference() and not mode.inference:
        raise refused("inference written")
    if not mode.enabled or tensor._value.dtype.kind != "f":
        return
    if base is None:
        if tensor._edge is None:
            raise refused("leaf written")
        return
    tracked = any(isinstance(t, TensorBase) and requires_grad(t) for t in (tensor, *others))
    if tracked and meta.forbids_inplace is not None:
        raise refuse_write(tensor)
    if meta.edge is None or (requires_grad(tensor) and grad_fn(base) is None):
        raise refused("view of leaf written")


def refuse_write(view: Any, through_alias: bool = False) -> Exception:
    """PyTorch's error for a write to a view that forbids it, or for its use after a write through an alias."""
    reason = view._meta.forbids_inplace
    node, output_nr = pair_of(view._meta.edge or NO_EDGE)
    output, then = "A view was created in no_grad mode", " with grad mode enabled"
    if node is not None:
        output, then = f"Output {output_nr} of {node._short_name()} is a view", ""
        output += " of a view which was created in no_grad mode" if reason == NO_GRAD else ""
    written = "and its base or another view of its base has been" if through_alias else "and is being"
    return refused(reason, output=output, written=written, then=then)
