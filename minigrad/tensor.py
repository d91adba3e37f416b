"""`Tensor`: numbers with a history.

The class is a table: which operation stands behind which operator and method. The operations themselves are in `ops/`
(formulas) and `functions/` (PyTorch's signatures); what is written out here is what belongs to a tensor alone.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from weakref import ref

import numpy as np

from . import creation, functions, ops
from .autograd import backward as _backward
from .autograd import variable
from .autograd.grad_mode import be_special, mode
from .autograd.hooks import outputs_of, set_outputs
from .autograd.node import (
    AccumulateGrad,
    RemovableHandle,
    add_tensor_hook,
    extras_of,
    grad_fn,
    gradient_edge,
    requires_grad,
    revealed,
    set_history,
    was_made,
)
from .autograd.variable import (
    NO_EDGE,
    DetachedCounter,
    TensorBase,
    make_tensor,
    meta_of,
    node_of,
    pair_of,
)
from .builtin_method import method, method_later
from .devices import device, device_of, move, same_place, tensor_type, to_host
from .dtypes import ALL as _ALL_TYPES
from .dtypes import (
    bool_,
    dtype,
    fitting,
    float16,
    float32,
    float64,
    from_numpy_dtype,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from .functions.calling import behind_usual_case, called, is_operation
from .hints import name_the_nearest_of, type_name, with_hint
from .layouts import contiguous_format, layout, memory_format
from .layouts import strided as _strided
from .ops.errors import NO_NUMBERS, check_dim, cpp_name, type_letter
from .size import Size

_NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you "
    "access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


# The operations are loaded with the first that is needed.


def _operation(name: str) -> method_later:
    """The operator that is this operation."""
    return method_later(lambda _: getattr(ops.pointwise, name))


def _in_place(name: str, home: Any = None) -> method_later:
    """The operator that writes what this operation gives, or this function of `home`."""

    def make(_: str) -> Any:
        write = _WRITTEN_BY.get(name)
        function = ops.inplace.inplace(getattr(home or ops.pointwise, name), write)
        return ops.inplace.directly(write, function) if write else function

    return method_later(make)


class Tensor(TensorBase):
    """A multi-dimensional array that remembers how it was computed.

    `Tensor(2, 3)` is uninitialised memory of that size and `Tensor([1, 2])` holds these numbers, both always in the
    default float type. `minigrad.tensor(…)` is what one usually wants: it keeps integers integers.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **options: Any) -> Any:
        return creation.legacy(None, args, options)

    # -- what it is -------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The size of each dimension."""
        return Size(self._value.shape)

    @property
    def dtype(self) -> dtype:
        """The type of the elements."""
        return from_numpy_dtype(self._value.dtype)

    @property
    def device(self) -> device:
        """Where the numbers are."""
        return device_of(self._value)

    @property
    def layout(self) -> layout:
        """The kind of the memory: `minigrad.strided`."""
        return _strided

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self._value.shape)

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return int(self._value.dtype.itemsize)

    @property
    def is_cuda(self) -> bool:
        """Whether the numbers are on a GPU."""
        return self.device.type == "cuda"

    @property
    def is_cpu(self) -> bool:
        """Whether the numbers are in the computer's own memory."""
        return self.device.type == "cpu"

    @method
    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        try:
            return self.shape if dim is None else self._value.shape[check_dim(dim, self.ndim)]
        except (TypeError, RuntimeError) as error:
            from .functions.signatures import misfit

            raise misfit(".size", (self, dim), {}) or error from None

    @method
    def dim(self) -> int:
        """How many dimensions there are."""
        return len(self._value.shape)

    @method
    def ndimension(self) -> int:
        """How many dimensions there are."""
        return self.ndim

    @method
    def stride(self, dim: int | None = None) -> Any:
        """How many elements to go on in memory for the next one along each dimension, or along one."""
        strides = ops.placing.element_strides(self._array)
        return strides if dim is None else strides[dim]

    @method
    def storage_offset(self) -> int:
        """How many elements behind the start of the shared memory this tensor starts."""
        return ops.strided.storage_offset(self)

    @method
    def untyped_storage(self) -> Any:
        """The memory behind this tensor, which its views share."""
        from .storage import untyped_storage  # rarely asked for

        return untyped_storage(self)

    def storage(self) -> Any:
        """The memory behind this tensor, in the old form: as numbers."""
        from .storage import storage

        return storage(self)

    @method
    def data_ptr(self) -> int:
        """The address of the first element. Tensors that share memory from the start have the same."""
        return ops.strided.address(self._array)

    @method
    def is_contiguous(self) -> bool:
        """Whether the elements lie in memory in the order in which they are printed."""
        return bool(self._array.flags.c_contiguous)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return int(self._value.nbytes)

    @property
    def is_sparse(self) -> bool:
        """False: minigrad has no sparse tensors."""
        return False

    @method
    def is_signed(self) -> bool:
        """Whether negative numbers can be stored."""
        return self.dtype.is_signed

    @method
    def element_size(self) -> int:
        """Bytes per element."""
        return int(self._value.dtype.itemsize)

    @property
    def name(self) -> None:
        """None: PyTorch's tensors have this attribute, and no names."""

    @method
    def nelement(self) -> int:
        """How many elements there are."""
        return functions.numel(self)

    # -- its place in the graph --------------------------------------------------------------------------------------

    @property
    def grad_fn(self) -> Any:
        """The node of the operation that made this tensor; None for a leaf."""
        return revealed(grad_fn(self))

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor. `backward()` fills `.grad` of leaves only."""
        return grad_fn(self) is None

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` this tensor is."""
        return 0 if grad_fn(self) is None else pair_of(gradient_edge(self))[1]

    @property
    def _base(self) -> Any:
        """The tensor whose memory this view shows; None if it is no view."""
        return None if self._meta is None else self._meta.base

    @method
    def is_inference(self) -> bool:
        """Whether this tensor was made in inference mode."""
        return self._meta is not None and self._meta.is_inference

    @method
    def _is_view(self) -> bool:
        return self._base is not None

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded, so that a gradient can flow back to it."""
        return requires_grad(self)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if was_made(self):
            message = "you can only change requires_grad flags of leaf variables."
            if not value:
                message += (
                    " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
                    "var_no_grad = var.detach()."
                )
            raise with_hint(
                RuntimeError(message),
                "This tensor was computed from others; its flag follows from theirs. detach() gives a copy of it "
                "outside the graph. Lesson 4.",
                "这个张量是由别的张量计算出来的，它的 requires_grad 由输入决定。用 detach() "
                "可以得到一个不在计算图里的张量。参见第 4 课。",
            )
        _set_requires_grad(self, value, "only Tensors of floating point and complex dtype can require gradients")

    @method
    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Ask for the gradient of this leaf, or stop asking. Returns the tensor itself."""
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not " + type_name(requires_grad)
            )
        if was_made(self):
            if not requires_grad:
                self.requires_grad = False
            return self
        _set_requires_grad(self, requires_grad, "only Tensors of floating point dtype can require gradients")
        return self

    @property
    def grad(self) -> Any:
        """What `backward()` has added up for this leaf; None until it has."""
        meta = self._meta
        if meta is None or meta.grad is None:
            if not (meta is not None and meta.retains_grad) and was_made(self):
                warnings.warn(_NON_LEAF_GRAD, UserWarning, stacklevel=2)
            return None
        return meta.grad

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is None:
            if self._meta is not None:
                self._meta.grad = None
            return
        if not isinstance(value, TensorBase):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type_name(value)}")
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        if value._value.dtype != self._value.dtype:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{cpp_name(value._value)}' to a tensor with "
                f"grad_dtype '{type_letter(self._value)}'. The gradient must match the tensor's "
                "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
                "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a "
                "tensor and its gradient may break downstream systems that assume they match."
            )
        if value._value.shape != self._value.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
            )
        meta_of(self).grad = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def data(self) -> Any:
        """The same memory without history and with a version counter of its own: autograd does not notice writes to it.

        That makes wrong gradients possible without any error. `detach()` is the safe way.
        """
        self._array  # noqa: B018  (a scalar result gets memory, for now it is shared)
        return make_tensor(self._value)

    @data.setter
    def data(self, new: Any) -> None:
        if not isinstance(new, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(new)}")
        if new._value.dtype.kind != "f" and requires_grad(self):
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        other_type = new._value.dtype != self._value.dtype
        other_shape = new._value.shape != self._value.shape
        self._value = new._array
        if other_type and self._meta is not None:
            self._meta.accumulator = None
        if (other_shape or other_type) and requires_grad(self):
            _look_at_gradients(self)

    @property
    def retains_grad(self) -> bool:
        """Whether `retain_grad()` was called on this result."""
        return self._meta is not None and self._meta.retains_grad

    @method
    def retain_grad(self) -> None:
        """Keep the gradient of this result in `.grad` when `backward()` passes, as for a leaf."""
        if not requires_grad(self):
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if not was_made(self) or self.retains_grad:
            return
        node, output_nr = pair_of(gradient_edge(self))
        meta_of(self).retains_grad = True
        extras_of(node).retaining[output_nr] = ref(self)

    @method
    def detach_(self) -> Any:
        """Take this tensor itself out of the graph: it becomes a leaf."""
        if self._base is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
                "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
                "detach_() cannot be called on these gradients. To fix this error, please refer to the "
                "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution."
            )
        if was_made(self):
            self._version_counter = DetachedCounter(self._version_counter)  # type: ignore[assignment]
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
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        return add_tensor_hook(self, hook)

    @property
    def _backward_hooks(self) -> dict[int, Any] | None:
        """The hooks registered on this tensor, by their number; None if there are none."""
        if not requires_grad(self):
            return None
        node, output_nr = pair_of(gradient_edge(self))
        if isinstance(node, AccumulateGrad):
            return meta_of(self).hooks or None
        return None if node.extras is None else node.extras.tensor_hooks.get(output_nr) or None

    @property
    def _post_accumulate_grad_hooks(self) -> dict[int, Any] | None:
        """The post-accumulate hooks registered on this leaf, by their number; None if there are none."""
        return None if self._meta is None else self._meta.post_accumulate_hooks or None

    def register_post_accumulate_grad_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Call `hook(leaf)` after a gradient has been added to the leaf's `.grad`."""
        if not requires_grad(self):
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if grad_fn(self) is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return RemovableHandle(meta_of(self).post_accumulate_hooks, hook)

    # -- arithmetic --------------------------------------------------------------------------------------------------

    __add__ = __radd__ = _operation("add")
    __sub__ = _operation("sub")
    __mul__ = __rmul__ = _operation("mul")
    __truediv__ = _operation("div")
    __neg__ = _operation("neg")
    __abs__ = _operation("abs")
    __matmul__ = method_later(lambda _: functions.products.matmul_operator)

    def __pos__(self) -> Any:
        if self._value.dtype.kind == "b":
            raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
        return self

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, _NUMBERS):
            return ops.pointwise.sub(other, self) if mode.formula else functions.rsub(self, other)
        return NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        if mode.formula:
            return ops.pointwise.div(other, self)
        return ops.pointwise.mul(ops.pointwise.reciprocal(self), other)

    __pow__ = method_later(lambda _: _operator(functions.pow))
    __rpow__ = method_later(lambda _: _reflected(functions.pow))
    __floordiv__ = method_later(lambda _: _operator(functions.floor_divide))
    __rfloordiv__ = method_later(lambda _: _reflected(functions.floor_divide))
    __mod__ = method_later(lambda _: _operator(functions.remainder))
    __rmod__ = method_later(lambda _: _reflected(functions.remainder))

    __and__ = __rand__ = _operation("bitwise_and")
    __or__ = __ror__ = _operation("bitwise_or")
    __xor__ = __rxor__ = _operation("bitwise_xor")

    __lshift__ = _operation("bitwise_left_shift")
    __rshift__ = _operation("bitwise_right_shift")

    def __rlshift__(self, other: Any) -> Any:
        return ops.pointwise.bitwise_left_shift(other, self)

    def __rrshift__(self, other: Any) -> Any:
        return ops.pointwise.bitwise_right_shift(other, self)

    def __invert__(self) -> Any:
        if self._value.dtype.kind == "f":
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        return make_tensor(~self._value)

    __eq__ = _operation("eq")  # type: ignore[assignment]
    __ne__ = _operation("ne")  # type: ignore[assignment]
    __lt__ = _operation("lt")
    __le__ = _operation("le")
    __gt__ = _operation("gt")
    __ge__ = _operation("ge")
    # Tensors compare element by element, so identity is what makes one a dictionary key.
    __hash__ = object.__hash__

    __iadd__ = _in_place("add")
    __isub__ = _in_place("sub")
    __imul__ = _in_place("mul")
    __itruediv__ = _in_place("div")
    __ipow__ = _in_place("pow", functions)
    __ifloordiv__ = _in_place("floor_divide", functions)
    __imod__ = _in_place("remainder", functions)
    __iand__ = _in_place("bitwise_and")
    __ior__ = _in_place("bitwise_or")
    __ixor__ = _in_place("bitwise_xor")

    # -- shape and parts: most methods are functions, too, and are added below ---------------------------------------

    @method
    def where(self, condition: Any, other: Any) -> Any:
        """This tensor where the condition holds, else `other`."""
        return functions.where(condition, self, other)

    @method
    def polygamma(self, n: int) -> Any:
        """The n-th derivative of the digamma function."""
        return functions.polygamma(n, self)

    @method
    def view_as(self, other: Any) -> Any:
        """The same memory in the shape of `other`."""
        return functions.view(self, other.shape)

    @method
    def reshape_as(self, other: Any) -> Any:
        """The same numbers in the shape of `other`."""
        return functions.reshape(self, other.shape)

    @method
    def expand_as(self, other: Any) -> Any:
        """Dimensions of size 1 repeated to the shape of `other`."""
        return functions.expand(self, other.shape)

    @property
    def T(self) -> Any:
        """The dimensions in reverse order."""
        if self.ndim == 0:
            warnings.warn(
                "Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.",
                UserWarning,
                stacklevel=2,
            )
        elif self.ndim != 2:
            warnings.warn(
                "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
                "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
                UserWarning,
                stacklevel=2,
            )
        return ops.shape.permute(self, tuple(reversed(range(self.ndim))))

    @property
    def H(self) -> Any:
        """A matrix transposed; minigrad has no complex numbers that would be conjugated."""
        if self.ndim not in (0, 2):
            raise RuntimeError(
                f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor."
                + (" For batches of matrices, consider using tensor.mH" if self.ndim > 2 else "")
            )
        return self.mT if self.ndim else self

    @property
    def mT(self) -> Any:
        """The last two dimensions swapped."""
        ndim = self.ndim
        if ndim == 1:
            raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return ops.shape.transpose(self, ndim - 2, ndim - 1) if ndim else self

    def __getitem__(self, key: Any) -> Any:
        part, arrays = ops.indexing.read(self, key)
        if arrays is None:
            return part
        ops.indexing.check_arrays(part, arrays)
        return ops.indexing.index(part, arrays)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, TensorBase) and (type(value) is int or type(value) is float) and ops.inplace.is_free(self):
            mask = key._value
            if mask.dtype.kind == "b" and mask.shape == self._value.shape:  # by far the commonest: `x[x < 0] = 0`
                ops.inplace.put_number(self._value, mask, value)
                ops.inplace.count_write(self)
                return
        part, arrays = ops.indexing.read(self, key, to_write=True)
        if arrays is not None:
            ops.inplace.check_inplace(part, value)
            ops.indexing.check_arrays(part, arrays)
        if ops.inplace.writes_directly(part, value) and not isinstance(value, TensorBase):
            ops.inplace.check_inplace(part)
            if arrays is None:
                ops.inplace.check_own_memory(part._array)
            else:
                ops.inplace.warn_if_expanded(part, arrays, one_value=True)
            ops.inplace.put_number(part._array, arrays, value)
            part._version_counter[0] += 1
            return
        if not isinstance(value, TensorBase):
            value = creation.assigned(value, self)
        if arrays is not None:
            value = value if isinstance(key, bool) else functions.shape.without_leading_ones(value)
            ops.inplace.put_at(part, arrays, value)
        elif value._value.shape == () != part._value.shape:
            part.fill_(value)
        else:
            part.copy_(functions.shape.expand_to_assign(value, part._value.shape))

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return int(self._value.shape[0])

    def __iter__(self) -> Iterator[Any]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(functions.unbind(self, 0))

    def __contains__(self, element: Any) -> bool:
        if not isinstance(element, _OPERANDS):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return bool((element == self if isinstance(element, TensorBase) else self == element).any().item())

    # -- writing memory ----------------------------------------------------------------------------------------------

    @method
    def squeeze_(self, *dim: Any) -> Any:
        """Remove dimensions of size 1, all or those named, from this tensor itself."""
        return _reshaped_in_place(self, functions.shape.squeezed_in_place, *dim)

    @method
    def unsqueeze_(self, dim: int) -> Any:
        """Give this tensor itself a new dimension of size 1."""
        ops.inplace.check_inplace(self)
        return _reshaped_in_place(self, ops.shape.unsqueeze_written, check_dim(dim, self.ndim + 1))

    @method
    def transpose_(self, dim0: int, dim1: int) -> Any:
        """Swap two dimensions of this tensor itself."""
        ops.inplace.check_inplace(self)
        dims = check_dim(dim0, self.ndim), check_dim(dim1, self.ndim)
        return _reshaped_in_place(self, ops.shape.transpose_written, *dims)

    @method
    def t_(self) -> Any:
        """Transpose this matrix itself."""
        ops.inplace.check_inplace(self)
        if self.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
        return _reshaped_in_place(self, ops.shape.t_written)

    swapaxes_ = swapdims_ = transpose_

    @method
    def fill_diagonal_(self, fill_value: float, wrap: bool = False) -> Any:
        """Write a number on the diagonal of this matrix. Returns the tensor itself.

        With `wrap` a new diagonal starts in a tall matrix, one row below the end of the last.
        """
        if isinstance(fill_value, TensorBase) and requires_grad(fill_value):
            raise TypeError("fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not Tensor")
        if self.ndim < 2:
            raise RuntimeError("dimensions must larger than 1")
        if self.ndim > 2 and len(set(self._value.shape)) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        rows, columns = self._value.shape[-2:]
        for row in range(0, rows, columns + 1) if wrap and self.ndim == 2 else [0]:
            main = self[row:] if row else self
            while main.ndim > 1:
                main = functions.diagonal(main)
            main.fill_(fill_value)
        return self

    @method
    def copy_(self, src: Any, non_blocking: bool = False) -> Any:
        """Write the numbers of `src` into this tensor's memory. Returns the tensor itself."""
        if isinstance(src, int | float):
            src = make_tensor(np.array(src))
        if not isinstance(src, TensorBase):
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}")
        if src is self and not (mode.enabled and requires_grad(self)):
            self._version_counter[0] += 1
            return self
        return ops.inplace.copy_(self, src)

    @method
    def fill_(self, value: Any) -> Any:
        """Write `value` everywhere. Returns the tensor itself."""
        ops.inplace.check_inplace(self, value)
        if isinstance(value, TensorBase):
            ops.inplace.write_result(self, ops.inplace.fill_with_tensor(self, value))
        else:
            ops.inplace.write_result(
                self, ops.inplace.fill(self, fitting(value, self._value.dtype)), ops.inplace.ONE_VALUE
            )
        return self

    @method
    def zero_(self) -> Any:
        """Write 0 everywhere. Returns the tensor itself."""
        if ops.inplace.is_free(self):
            self._value.fill(0)
            ops.inplace.count_write(self)
            return self
        ops.inplace.check_inplace(self)
        if mode.enabled and requires_grad(self):
            ops.inplace.write_result(self, ops.inplace.zero(self), ops.inplace.ONE_VALUE)
        else:
            if self._array.size:
                self._array.fill(0)
            self._version_counter[0] += 1
        return self

    # -- other types and places --------------------------------------------------------------------------------------

    @method
    def contiguous(self, *, memory_format: memory_format = contiguous_format) -> Any:
        """This tensor if its memory is in order, otherwise a copy that is."""
        return ops.pointwise.contiguous(self)

    def _cast(self, numpy_dtype: np.dtype) -> Any:
        return ops.pointwise.to_copy(self, numpy_dtype)

    @method
    def to(
        self,
        *args: Any,
        dtype: Any = None,
        device: Any = None,
        copy: bool = False,
        non_blocking: bool = False,
        memory_format: memory_format | None = None,
    ) -> Any:
        """This tensor in another type or place: `to(float64)`, `to("cuda")`, `to(other)`. Itself, if nothing changes.

        A gradient comes back in the type and to the place of this tensor.
        """
        for arg in args:
            if isinstance(arg, TensorBase):
                dtype, device = arg.dtype, arg.device
            elif isinstance(arg, str | int | _Device) and not isinstance(arg, type):
                device = arg
            elif arg is not None:
                dtype = arg
        result = self
        place = None if device is None else _Device(device)
        if place is not None and not same_place(place, self.device):
            result = ops.pointwise.to_device(self, place, self.device)
        if dtype is not None and creation.to_numpy_dtype(dtype) != self._value.dtype:
            result = result._cast(creation.to_numpy_dtype(dtype))
        return functions.clone(self) if copy and result is self else result

    @method
    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Without an argument the name of this tensor's type, such as 'torch.FloatTensor'; otherwise `to(dtype)`."""
        if isinstance(dtype, str):
            kinds = {kind.tensor_type: kind for kind in _ALL_TYPES}
            if dtype.removeprefix("torch.") not in kinds:
                raise ValueError(f"invalid type: '{dtype}'")
            dtype = kinds[dtype.removeprefix("torch.")]
        if isinstance(dtype, creation.OldType):
            dtype = dtype.dtype
        if dtype is not None and not isinstance(dtype, _Dtype | type):
            raise TypeError("dtype must be a type, str, or dtype object")
        return tensor_type(self._value) if dtype is None else self.to(dtype)

    @method
    def type_as(self, other: Any) -> Any:
        """This tensor in the type of `other`."""
        return self.to(other.dtype)

    double = method(lambda self: self.to(float64))
    float = method(lambda self: self.to(float32))
    half = method(lambda self: self.to(float16))
    long = method(lambda self: self.to(int64))
    int = method(lambda self: self.to(int32))
    short = method(lambda self: self.to(int16))
    char = method(lambda self: self.to(int8))
    byte = method(lambda self: self.to(uint8))
    bool = method(lambda self: self.to(bool_))
    cpu = method(lambda self: self.to(device="cpu"))

    @method
    def cuda(self, device: Any = None, non_blocking: bool = False) -> Any:
        """This tensor on a GPU: the current one, or the one named."""
        place = _Device("cuda" if device is None else device)
        if place.type != "cuda":
            raise RuntimeError("Invalid device, must be cuda device")
        return self.to(device=place)

    @method
    def get_device(self) -> int:
        """The number of the GPU that the numbers are on; -1 for the CPU."""
        return -1 if self.device.index is None else self.device.index

    def split(self, split_size: Any, dim: int = 0) -> Any:
        """Views of parts of that size, or of those sizes, along a dimension."""
        return functions.split(self, split_size, dim)

    def _like(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options of a creation function, with the type and the place of this tensor where they are left out."""
        given = {name: value for name, value in options.items() if value is not None}
        return {"dtype": self.dtype, "device": self.device, **given}

    @method
    def new_zeros(self, *size: Any, **options: Any) -> Any:
        """Zeros in the type and the place of this tensor."""
        return creation.zeros(*size, *_named_size(options), **self._like(options))

    @method
    def new_empty(self, *size: Any, **options: Any) -> Any:
        """Memory in the type and the place of this tensor, as it is found."""
        return creation.empty(*size, *_named_size(options), **self._like(options))

    @method
    def new_ones(self, *size: Any, **options: Any) -> Any:
        """Ones in the type and the place of this tensor."""
        return creation.ones(*size, *_named_size(options), **self._like(options))

    @method
    def new_full(self, size: Any, fill_value: Any, **options: Any) -> Any:
        """`fill_value` everywhere, in the type and the place of this tensor."""
        return creation.full(size, fill_value, **self._like(options))

    @method
    def new(self, *args: Any) -> Any:
        """`Tensor(…)` in the type of this tensor, in programs of long ago."""
        return creation.legacy(self.dtype, args, {})

    @method
    def new_tensor(self, data: Any, **options: Any) -> Any:
        """`data` as a tensor in the type and the place of this tensor."""
        return creation.tensor(data, **self._like(options))

    # -- as Python and numpy see it ----------------------------------------------------------------------------------

    @method
    def item(self) -> Any:
        """The one element, as a Python number."""
        if self._value.size != 1:
            raise with_hint(
                RuntimeError(f"a Tensor with {self._value.size} elements cannot be converted to Scalar"),
                "item() is for tensors with one element; use tolist() for more.",
                "item() 只能用于只有一个元素的张量；元素多于一个时请用 tolist()。",
            )
        return to_host(self._value).item()

    @method
    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers."""
        return to_host(self._value).tolist()

    @method
    def numpy(self, *, force: bool = False) -> Any:
        """The numbers as a numpy array on the same memory. Only for a tensor that needs no gradient, unless `force`."""
        if requires_grad(self) and not force:
            raise with_hint(
                RuntimeError(NO_NUMBERS),
                "numpy records nothing, so the tensor must first be taken out of the graph: x.detach().numpy().",
                "numpy 不会记录计算过程，请先把张量从计算图中分离出来：x.detach().numpy()。",
            )
        if self.is_cuda:
            if not force:
                raise TypeError(
                    f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                    "host memory first."
                )
            return to_host(self._value)
        return self._array.view()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    __array_priority__ = 1000
    __array_ufunc__ = method_later(lambda _: ops.array_protocol.array_ufunc)
    __array_function__ = method_later(lambda _: ops.array_protocol.array_function)

    def __bool__(self) -> bool:
        if self._value.size == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        if self._value.size > 1:
            raise with_hint(
                RuntimeError("Boolean value of Tensor with more than one value is ambiguous"),
                "`if x > 0:` on several elements: do you mean (x > 0).all() or (x > 0).any()?",
                "`if x > 0:` 比较的是多个元素：应当写 (x > 0).all() 还是 (x > 0).any()？",
            )
        return bool(to_host(self._value).item())

    def __float__(self) -> Any:
        creation.warn_if_tracked(self)
        return float(_to_number(self))

    def __int__(self) -> Any:
        return int(_to_number(self))

    def __index__(self) -> Any:
        if self._value.dtype.kind == "f" or self._value.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(to_host(self._value).item())

    def __format__(self, spec: str) -> str:
        if self.ndim == 0:
            return format(to_host(self._value).item(), spec)
        return object.__format__(self, spec)

    def __repr__(self) -> str:
        from .printing import tensor_text

        return tensor_text(self)

    def __dir__(self) -> list[str]:
        return [name for name in object.__dir__(self) if name not in TensorBase.__slots__]

    # -- copies and files --------------------------------------------------------------------------------------------

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if grad_fn(self) is not None:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment.  If you were attempting to deepcopy a module, this may be because of a "
                "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            )
        if id(self) in memo:
            return memo[id(self)]
        copy = make_tensor(ops.placing.copied(self._value))
        copy._version_counter[0] = 1  # PyTorch writes the numbers into an empty tensor
        memo[id(self)] = copy
        if requires_grad(self):
            creation.require_grad(copy)
        if self._meta is not None and self._meta.grad is not None:
            meta_of(copy).grad = self._meta.grad.__deepcopy__(memo)
        copy.__dict__.update(self.__dict__)
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (np.asarray(to_host(self._value)), requires_grad(self), str(self.device))


#: What PyTorch's tensors do not have as a method, or not with the arguments of the function.
_FUNCTIONS_ONLY = {
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "bucketize",
    "cartesian_prod", "cat", "cdist", "column_stack", "combinations", "concat", "concatenate", "dstack", "einsum",
    "hstack", "is_tensor", "isin", "meshgrid", "normal", "polygamma", "rand", "rand_like", "randint", "randint_like",
    "randn", "randn_like", "randperm", "row_stack", "rsub", "searchsorted", "split", "stack", "std_mean", "tensordot",
    "var_mean", "vstack", "where",
}  # fmt: skip
#: What can also be done in place: `x.exp_()`. Where a plain operator writes without a copy, it is named.
_IN_PLACE = [
    "abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "arccos",
    "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh",
    "baddbmm", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
    "ceil", "clamp", "clamp_max", "clamp_min", "clip", "copysign", "cos", "cosh", "cumprod", "cumsum", "deg2rad",
    "digamma", "div", "divide", "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "fix", "float_power", "floor",
    "floor_divide", "fmod", "frac", "gcd", "heaviside", "hypot", "index_add", "index_copy", "index_fill", "index_put",
    "lcm", "ldexp", "lerp", "lgamma", "log", "log10", "log1p", "log2", "logical_and", "logical_not", "logical_or",
    "logical_xor", "logit", "masked_fill", "mul", "multiply", "nan_to_num", "neg", "negative", "pow", "rad2deg",
    "reciprocal", "relu", "remainder", "round", "rsqrt", "scatter", "scatter_add", "sgn", "sigmoid", "sign", "sin",
    "sinc", "sinh", "sqrt", "square", "sub", "subtract", "tan", "tanh", "tril", "triu", "true_divide", "trunc", "xlogy",
]  # fmt: skip
_WRITTEN_BY = {"add": operator.iadd, "sub": operator.isub, "mul": operator.imul, "div": operator.itruediv}


#: Methods that PyTorch itself has written in Python, and shows so.
_BOUND = {"norm", "unflatten", "unique", "unique_consecutive"}


def _method_of(name: str) -> Any:
    """The method that is the function of this name."""
    function = getattr(functions, name)
    as_called = function if is_operation(function, name) else called(function, "." + name)
    # A plain function is called without a bound method between. So is what is called every day with arguments, for
    # there nobody forgets the parentheses; everything else looks built in.
    _, positional, named, *_ = getattr(function, "usual_case", (None, "", ""))
    takes_some = len([*positional.split(), *named.split()]) > 1
    if name in _BOUND:
        return _bound(as_called)
    return as_called if takes_some else method(as_called)


def _bound(function: Any) -> Any:
    """A method that does not look built in: `<bound method Tensor.norm of tensor(1.)>`."""
    function.__qualname__ = f"Tensor.{function.__name__}"
    return function


def _method_in_place(name: str) -> Any:
    """The method that writes what a function gives: `exp_`."""
    name = name.removesuffix("_")
    function = getattr(functions.pointwise, f"{name}_written", None) or getattr(functions, name)
    write = _WRITTEN_BY.get(name)
    function = called(ops.inplace.inplace(function, write), f".{name}_")
    # A learner's `x.add_(y)` is called as often as `x + y`: these do without the frame.
    return ops.inplace.directly(write, function) if write else method(function)


for _name in (*functions.__all__, *functions.METHODS_ONLY):
    if _name not in _FUNCTIONS_ONLY:
        setattr(Tensor, _name, method_later(_method_of, Tensor, _name))
for _name in _IN_PLACE:
    setattr(Tensor, f"{_name}_", method_later(_method_in_place, Tensor, f"{_name}_"))

for _name in (
    "bool", "byte", "char", "contiguous", "copy_", "cpu", "cuda", "data_ptr", "double", "element_size",
    "expand_as", "fill_", "fill_diagonal_", "float", "get_device", "half", "int", "is_contiguous", "is_inference",
    "is_signed", "long", "ndimension", "nelement", "new_empty", "new_full", "new_ones", "new_tensor", "new_zeros",
    "polygamma", "requires_grad_", "reshape_as", "retain_grad", "short", "squeeze_", "storage_offset", "stride",
    "swapaxes_", "swapdims_", "t_", "to", "transpose_", "type", "type_as", "unsqueeze_", "view_as", "where",
):  # fmt: skip
    setattr(Tensor, _name, method(called(vars(Tensor)[_name].function, f".{_name}")))
Tensor.split = _bound(called(Tensor.split, ".split"))

#: What to do in the place of an assignment such as `x.shape = (3, 2)`.
_INSTEAD = {
    "shape": ("reshape() gives the same numbers in another shape: x = x.reshape(3, 2).",
              "reshape() 用另一种形状给出同样的数：x = x.reshape(3, 2)。"),
    "dtype": ("to() gives a copy in another type: x = x.to(torch.float64).",
              "to() 得到另一种类型的副本：x = x.to(torch.float64)。"),
    "device": ("to() gives a copy on another device: x = x.to('cpu').",
               "to() 得到另一个设备上的副本：x = x.to('cpu')。"),
    "grad_fn": ("detach() gives the tensor without its history.", "detach() 得到不带历史的张量。"),
    "is_leaf": ("A leaf is what no operation made: x = x.detach().requires_grad_().",
                "不是由运算得到的张量才是叶子：x = x.detach().requires_grad_()。"),
}  # fmt: skip


def _read_only(name: str) -> Callable[..., None]:
    """The setter and deleter of an attribute that cannot be assigned: PyTorch's error, instead of Python's."""

    def refuse(self: Any, value: Any = None) -> None:
        error = AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")
        raise with_hint(error, *_INSTEAD[name]) if name in _INSTEAD else error

    return refuse


for _name, _shown in vars(Tensor).copy().items():
    if isinstance(_shown, property) and _shown.fset is None:
        setattr(Tensor, _name, _shown.setter(_read_only(_name)).deleter(_read_only(_name)))

Tensor.__module__ = "minigrad"
name_the_nearest_of(Tensor)
variable.result_class = Tensor


_Device, _Dtype = device, dtype  # for methods with an argument of that name


def _rebuild(array: np.ndarray, wants_grad: bool, place: str = "cpu") -> Any:
    """A leaf from what a pickle holds."""
    tensor = make_tensor(move(array, _Device(place)))
    if wants_grad:
        creation.require_grad(tensor)
    return tensor


def _named_size(options: dict[str, Any]) -> list[Any]:
    """The size, taken out of the options where it stands among them."""
    return [options.pop("size")] if "size" in options else []


def _reshaped_in_place(tensor: Any, view: Callable[..., Any], *args: Any) -> Any:
    """`tensor` itself, seen as `view` shows it."""
    ops.inplace.check_inplace(tensor)
    shown = view(tensor, *args)
    node = grad_fn(shown)
    tensor._value = shown._array
    tensor._version_counter[0] += 1
    if node is not None:
        set_history(tensor, node)
    elif requires_grad(tensor):
        _look_at_gradients(tensor)
    return tensor


def _look_at_gradients(tensor: Any) -> None:
    """Let the gradients that are sent for `tensor` be looked at: it has no longer the shape that its node knows."""
    if tensor._value.shape == ():
        be_special(1)  # what a single number is computed from is taken to be single numbers
    is_view = tensor._base is not None
    node = node_of((tensor._meta.view_edge or NO_EDGE) if is_view else gradient_edge(tensor))
    if node is not None:  # as if the node had several outputs
        set_outputs(node, outputs_of(node))


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of two operands as an operator: other values are asked whether they know what to do."""

    def operate(self: Any, other: Any) -> Any:
        return function(self, other) if isinstance(other, _OPERANDS) else NotImplemented

    return behind_usual_case(operate, function, function.__name__)


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a tensor on the right: `2 ** x`."""

    def operate(self: Any, other: Any) -> Any:
        return function(other, self) if isinstance(other, _OPERANDS) else NotImplemented

    return operate


_NUMBERS = (int, float)
_OPERANDS = (TensorBase, int, float, np.generic)


def _to_number(tensor: Any) -> Any:
    if tensor._value.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return to_host(tensor._value).item()


def _set_requires_grad(tensor: Any, value: bool, not_float: str) -> None:
    if value and tensor._value.dtype.kind != "f":
        raise with_hint(
            RuntimeError(not_float),
            "Write 1.0 instead of 1, or x.float(): only floating-point numbers have gradients.",
            "请写 1.0 而不是 1，或者用 x.float()：只有浮点数才有梯度。",
        )
    if value and tensor.is_inference() and not mode.inference:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    lost = tensor._base is not None and tensor._meta.view_edge is NO_EDGE  # made without recording
    if value == requires_grad(tensor) and not (value and lost):
        return
    if value:
        creation.require_grad(tensor)
        if tensor._base is not None:  # a view of a tensor that needs no gradient becomes a leaf of its own
            tensor._meta.view_edge = None
    elif tensor._base is not None:
        tensor._meta.view_edge = NO_EDGE
    else:
        tensor._edge = NO_EDGE
