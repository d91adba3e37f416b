"""`backward` and `grad`: the two questions one can ask a graph. Checks the arguments, then runs the engine."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..hints import with_hint
from .engine import run_backward
from .graph import AccumulateGrad, gradient_edge, requires_grad
from .variable import NO_EDGE, TensorBase, make_tensor


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add to `.grad` of each leaf the gradient of Σ grad_tensorsᵢ · tensorsᵢ with respect to it.

    Args:
        tensors: one tensor or several.
        grad_tensors: for each its ∂L/∂tensor, of its shape; None for a tensor with one element means 1.
        retain_graph: keep what the nodes have saved; by default as `create_graph`.
        create_graph: record the backward pass itself.
        inputs: add only to these tensors' `.grad`.

    Raises:
        RuntimeError: a tensor needs no gradient, has more than one element and no grad_tensor, or a shape differs.
    """
    outputs = _as_tuple(tensors)
    grads = _root_grads(outputs, _as_tuple(grad_tensors, len(outputs)), create_graph)
    targets = None
    if inputs is not None:
        wanted = _as_tuple(inputs)
        if not wanted:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        for tensor in wanted:
            if requires_grad(tensor) and not isinstance(gradient_edge(tensor)[0], AccumulateGrad):
                tensor.retain_grad()
        targets = [gradient_edge(tensor) for tensor in wanted]
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
            "avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters "
            "to None after use to break the cycle and avoid the leak.",
            UserWarning,
            stacklevel=3,
        )
    run_backward(
        [gradient_edge(tensor) for tensor in outputs],
        grads,
        keep_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        inputs=targets,
    )


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Any, ...]:
    """The gradients of Σ grad_outputsᵢ · outputsᵢ with respect to `inputs`, as a tuple. No `.grad` is touched.

    Args:
        outputs, inputs: one tensor or several each.
        grad_outputs: as grad_tensors of `backward`.
        retain_graph, create_graph: as for `backward`.
        allow_unused: give None for an input that the outputs do not depend on, instead of an error.
        is_grads_batched: grad_outputs have one more dimension in front; the gradients of each are stacked.
        materialize_grads: give zeros instead of None.
    """
    outputs, wanted = _as_tuple(outputs), _as_tuple(inputs)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    grads = _as_tuple(grad_outputs, len(outputs))
    if is_grads_batched:
        return _batched(outputs, wanted, grads, retain_graph, create_graph, allow_unused, materialize_grads)
    root_grads = _root_grads(outputs, grads, create_graph)
    edges = []
    for tensor in wanted:
        if not requires_grad(tensor):
            raise with_hint(
                RuntimeError("One of the differentiated Tensors does not require grad"),
                "Set requires_grad=True on it before you compute with it.",
                "请在用它计算之前先设置 requires_grad=True。",
            )
        edges.append(gradient_edge(tensor))
    results = run_backward(
        [gradient_edge(tensor) for tensor in outputs],
        root_grads,
        keep_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        inputs=edges,
        capture=True,
    )
    finished = []
    for index, (tensor, result) in enumerate(zip(wanted, results, strict=True)):
        if result is None and not allow_unused:
            raise with_hint(
                RuntimeError(
                    f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                    "allow_unused=True if this is the desired behavior."
                ),
                "No path leads from the outputs back to this tensor.",
                "从输出沿计算图往回走，没有任何路径通向这个张量。",
            )
        if result is None:
            finished.append(make_tensor(np.zeros_like(tensor._value)) if materialize_grads else None)
        else:
            finished.append(result if isinstance(result, TensorBase) else _owned(result))
    return tuple(finished)


def _owned(raw: Any) -> Any:
    """A tensor around a gradient, with memory of its own where others may hold the array."""
    return make_tensor(raw if isinstance(raw, np.generic) else raw.copy())


def _batched(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    grads: Sequence[Any],
    retain_graph: bool | None,
    create_graph: bool,
    allow_unused: bool,
    fill: bool,
) -> tuple[Any, ...]:
    count = next(g._value.shape[0] for g in grads if g is not None)
    rows = []
    for i in range(count):
        row = [None if g is None else g[i] for g in grads]
        keep = retain_graph if i == count - 1 else True
        rows.append(grad(outputs, inputs, row, keep, create_graph, allow_unused, materialize_grads=fill))
    from ..functions import stack

    return tuple(None if column[0] is None else stack(column) for column in zip(*rows, strict=True))


def _as_tuple(value: Any, count: int | None = None) -> tuple[Any, ...]:
    if value is None and count is not None:
        return (None,) * count
    return (value,) if isinstance(value, TensorBase) else tuple(value)


def _root_grads(outputs: Sequence[Any], grads: Sequence[Any], create_graph: bool) -> list[Any]:
    """The gradient to start with at each output, as the engine wants it. Raises PyTorch's errors."""
    for grad in grads:
        if grad is not None and not isinstance(grad, TensorBase):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
    if len(grads) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(grads)} gradients")
    made = []
    for index, (output, grad) in enumerate(zip(outputs, grads, strict=True)):
        if gradient_edge(output) is NO_EDGE:
            raise with_hint(
                RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn"),
                "Nothing it was computed from has requires_grad=True (look for a misspelt requires_grad), or it was "
                "computed under no_grad(). Lesson 1.",
                "计算它的张量都没有设置 requires_grad=True（检查一下有没有拼写错误），或者它是在 no_grad() "
                "里计算的。参见第 1 课。",
            )
        shape, dtype = output._value.shape, output._value.dtype
        if grad is None:
            if output._value.size != 1:
                raise with_hint(
                    RuntimeError("grad can be implicitly created only for scalar outputs"),
                    f"The output has the shape {tuple(shape)}. Reduce it to one number first, as by .sum() or "
                    ".mean(), or say how much each element counts: y.backward(torch.ones_like(y)). Lesson 7.",
                    f"输出的形状是 {tuple(shape)}。请先把它化为一个数，例如 .sum() 或 .mean()；"
                    "或者指明每个元素的权重：y.backward(torch.ones_like(y))。参见第 7 课。",
                )
            grad = make_tensor(np.ones_like(output._value))
        elif grad._value.shape != shape:
            raise with_hint(
                RuntimeError(
                    f"Mismatch in shape: grad_output[{index}] has a shape of {_size(grad._value.shape)} and "
                    f"output[{index}] has a shape of {_size(shape)}."
                ),
                "The gradient of a tensor has exactly its shape; it is not broadcast. Lesson 7.",
                "梯度的形状必须与张量完全相同，这里不会广播。参见第 7 课。",
            )
        elif grad._value.dtype != dtype:
            grad = grad._cast(dtype)
        made.append(grad if create_graph else grad._value)
    return made


def _size(shape: Sequence[int]) -> str:
    return f"torch.Size({list(shape)})"
