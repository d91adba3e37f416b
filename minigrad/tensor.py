"""`Tensor`: numbers with a history.

Written out here is what belongs to a tensor alone: its flags, its place in the graph, its gradient. Operators and
methods come from `functions/` (PyTorch's signatures), and what they compute from `ops/` (formulas).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from . import creation, functions
from .autograd import backward as _backward
from .autograd import variable
from .autograd.grad_mode import mode
from .autograd.hooks import RemovableHandle, extras_of
from .autograd.node import AccumulateGrad, grad_fn, gradient_edge, requires_grad
from .autograd.variable import NO_EDGE, TensorBase, make_tensor, meta_of, nothing, pair_of
from .devices import device_of, to_host
from .dtypes import from_numpy_dtype
from .functions.operators import OPERATORS
from .hints import hinted, name_the_nearest_of, type_name
from .ops import array_protocol
from .ops.errors import cpp_name, type_letter
from .printing import tensor_text
from .refusals import refused
from .size import Size


def _read(kind: str, of: Callable[[Any], Any], doc: str) -> Any:
    """An attribute that is only read: its type, how it is found, and what it says."""
    of.__annotations__["return"] = kind
    return property(of, doc=doc)


class Tensor(TensorBase):
    """A multi-dimensional array that remembers how it was computed.

    `Tensor(2, 3)` is uninitialised memory of that size and `Tensor([1, 2])` holds these numbers, both always in the
    default float type. `minigrad.tensor(…)` is what one usually wants: it keeps integers integers.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return creation.legacy(None, args, options)

    # -- what it is -------------------------------------------------------------------------------------------------

    shape = _read("Size", lambda self: Size(self._value.shape), "The size of each dimension.")
    dtype = _read("dtype", lambda self: from_numpy_dtype(self._value.dtype), "The type of the elements.")
    device = _read("device", lambda self: device_of(self._value), "Where the numbers are.")
    ndim = _read("int", lambda self: len(self._value.shape), "How many dimensions there are.")
    itemsize = _read("int", lambda self: int(self._value.dtype.itemsize), "Bytes per element.")
    nbytes = _read("int", lambda self: int(self._value.nbytes), "Bytes of all elements.")
    is_cuda = _read("bool", lambda self: self.device.type == "cuda", "Whether the numbers are on a GPU.")
    is_cpu = _read("bool", lambda self: not self.is_cuda, "Whether the numbers are in the computer's own memory.")
    is_sparse = _read("bool", lambda self: False, "False: minigrad has no sparse tensors.")
    name = _read("None", lambda self: None, "None: PyTorch's tensors have this attribute, and no names.")

    # -- its place in the graph --------------------------------------------------------------------------------------

    grad_fn = _read("Node | None", lambda self: grad_fn(self), "The node that made this tensor; None for a leaf.")
    is_leaf = _read(
        "bool",
        lambda self: grad_fn(self) is None,
        "Whether no recorded operation made this tensor. `backward()` fills `.grad` of leaves only.",
    )
    output_nr = _read("int", lambda self: pair_of(gradient_edge(self))[1], "Which output of `grad_fn` this tensor is.")
    _base = _read("Any", lambda self: self._meta and self._meta.base, "The tensor whose memory this view shows.")
    retains_grad = _read(
        "bool",
        lambda self: self._meta is not None and self._meta.retains_grad,
        "Whether `retain_grad()` was called on this result.",
    )

    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode."""
        return self._meta is not None and self._meta.is_inference

    def _is_view(self) -> bool:
        return self._base is not None

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded, so that a gradient can flow back to it."""
        return requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if value:
            if not self.is_leaf:
                raise refused("flag of a result")
            if self._value.dtype.kind != "f":
                raise refused("no floats", kinds="and complex ")
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Ask for the gradient of this leaf, or stop asking. Returns the tensor itself."""
        if not isinstance(requires_grad, bool):
            raise TypeError(f"requires_grad_(): argument 'requires_grad' must be bool, not {type_name(requires_grad)}")
        if not self.is_leaf:
            if not requires_grad:
                raise refused("flag of a result taken away")
        elif requires_grad:
            if self._value.dtype.kind != "f":
                raise refused("no floats", kinds="")
            if self.is_inference() and not mode.inference:
                raise refused("inference flag")
            creation.require_grad(self)
            if self._base is not None:  # a view of a tensor that needs no gradient becomes a leaf of its own
                self._meta.edge = None
        elif self._base is not None:
            self._meta.edge = NO_EDGE
        else:
            self._edge = NO_EDGE
        return self

    @property
    def grad(self) -> Tensor | None:
        """What `backward()` has added up for this leaf; None until it has."""
        meta = self._meta
        if meta is not None and meta.grad is not None:
            return meta.grad
        if not self.retains_grad and not self.is_leaf:
            warnings.warn(refused("grad of a result"), stacklevel=2)
        return None

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is None:
            meta_of(self).grad = None
            return
        if not isinstance(value, TensorBase):
            said = f"assigned grad expected to be a Tensor or None but got grad of type {type_name(value)}"
            raise hinted(TypeError(said))
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if value._value.dtype != self._value.dtype:
            raise refused("grad of another type", given=cpp_name(value._value), own=type_letter(self._value))
        if value._value.shape != self._value.shape:
            raise refused("grad of another size", given=list(value.shape), own=list(self.shape))
        meta_of(self).grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def data(self) -> Tensor:
        """The same memory without history and with a version counter of its own: autograd does not notice writes to it.

        That makes wrong gradients possible without any error. `detach()` is the safe way.
        """
        return make_tensor(self._array)  # a scalar result gets memory here: from now on it is shared

    @data.setter
    def data(self, new: Any) -> None:
        if not isinstance(new, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(new)}")
        if new._value.dtype.kind != "f" and requires_grad(self):
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        other_type = new._value.dtype != self._value.dtype
        self._value = new._array
        if other_type and self._meta is not None:
            self._meta.accumulator = nothing

    def retain_grad(self) -> None:
        """Keep the gradient of this result in `.grad` when `backward()` passes, as for a leaf."""
        if not requires_grad(self):
            raise hinted(RuntimeError("can't retain_grad on Tensor that has requires_grad=False"))
        if self.is_leaf or self.retains_grad:
            return
        node, output_nr = pair_of(gradient_edge(self))
        meta_of(self).retains_grad = True
        extras_of(node).retaining[output_nr] = ref(self)

    def detach_(self) -> Any:
        """Take this tensor itself out of the graph: it becomes a leaf."""
        if self._base is not None:
            raise refused("view detached")
        if not self.is_leaf:
            meta_of(self).hooks = self._backward_hooks  # which stay the tensor's
            self._version_counter[0] += 2**-20  # no write, but nodes that have saved it must notice
        self._edge = NO_EDGE
        return self

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Compute the gradients of this tensor with respect to the leaves of its graph, and add them to their `.grad`.

        Args:
            gradient: ∂L/∂(this tensor), of its shape. May be left out for a tensor with one element: then it is 1.
            retain_graph: keep what the nodes have saved, so that this graph can be gone through again.
            create_graph: record the backward pass itself, for second derivatives.
            inputs: add only to these tensors' `.grad`.
        """
        _backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call `hook(grad)` whenever a gradient of this tensor is computed; what it returns replaces the gradient."""
        if not requires_grad(self):
            raise hinted(RuntimeError("cannot register a hook on a tensor that doesn't require gradient"))
        node, output_nr = pair_of(gradient_edge(self))
        hooks = {} if node is None else extras_of(node).tensor_hooks.setdefault(output_nr, {})
        if isinstance(node, AccumulateGrad):
            meta_of(self).hooks = hooks  # a leaf's node comes and goes
        return RemovableHandle(hooks, hook)

    @property
    def _backward_hooks(self) -> dict[int, Any] | None:
        """The hooks registered on this tensor, by their number; None if there are none."""
        node, output_nr = pair_of(gradient_edge(self))
        extras = node and node._extras
        return (extras and extras.tensor_hooks.get(output_nr)) or None

    _post_accumulate_grad_hooks = _read(
        "dict[int, Any] | None",
        lambda self: None if self._meta is None else self._meta.post_accumulate_hooks or None,
        "The post-accumulate hooks registered on this leaf, by their number; None if there are none.",
    )

    def register_post_accumulate_grad_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call `hook(leaf)` each time a pass has added its gradient to the leaf's `.grad`."""
        if not requires_grad(self):
            raise hinted(RuntimeError("cannot register a hook on a tensor that doesn't require gradient"))
        if grad_fn(self) is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        meta = meta_of(self)
        meta.post_accumulate_hooks = hooks = meta.post_accumulate_hooks or {}
        return RemovableHandle(hooks, hook)

    # -- as Python and numpy see it: operators and methods come from the table, and are added below -----------------

    # Tensors compare element by element, so identity is what makes one a dictionary key.
    __hash__ = object.__hash__

    T, mT = map(property, (functions.methods.T, functions.methods.mT))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    __array_priority__ = 1000
    __array_ufunc__ = array_protocol.array_ufunc
    __array_function__ = array_protocol.array_function

    __repr__ = tensor_text

    # -- copies and files --------------------------------------------------------------------------------------------

    __deepcopy__ = creation.copied_deeply

    def __reduce_ex__(self, protocol: Any) -> Any:
        kind = () if type(self) is Tensor else (type(self),)
        array = np.asarray(to_host(self._value))
        numbers = array.astype(array.dtype.newbyteorder("<")).tobytes()
        held = numbers, self.dtype, array.shape, requires_grad(self), str(self.device), *kind
        return creation.rebuilt, held, self.__dict__ or None


for _name, _method in (functions.METHODS | OPERATORS).items():
    setattr(Tensor, _name, _method)

Tensor.__module__ = "minigrad"
name_the_nearest_of(Tensor)
variable.result_class = Tensor
