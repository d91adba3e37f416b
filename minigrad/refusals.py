"""What autograd and tensors refuse or warn of: PyTorch's words, and what to do instead, in two languages.

    raise refused("freed", node=node.name())

is the error of the row "freed", with the name of that node in its three sentences. So the code shows when something is
refused, and this table what is then said.
"""

from __future__ import annotations

from typing import Any

from .hints import with_hint


def refused(name: str, /, **values: Any) -> Exception:
    """The error, or the warning, of this name, with `values` in its words and its hint."""
    kind, words, *hint = REFUSALS[name]
    error: Exception = kind(words.format(**values))
    return with_hint(error, *(text.format(**values) for text in hint)) if hint else error


_AMBIGUOUS = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {mode} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)
_FLAG_FOLLOWS = (
    "This tensor was computed from others; its flag follows from theirs. detach() gives a tensor outside the graph "
    "with the same numbers. Lesson 4.",
    "这个张量是由别的张量计算出来的，它的 requires_grad 由输入决定。用 detach() "
    "可以得到一个不在计算图里的张量。参见第 4 课。",
)
_NOT_BROADCAST = (
    "The gradient of a tensor has exactly its shape; it is not broadcast. Lesson 7.",
    "梯度的形状必须与张量完全相同，这里不会广播。参见第 7 课。",
)
_WRITE_A_COPY = (
    "A view shares the memory of its base. Write into a copy instead: view.clone(), or compute a new tensor. "
    "Lesson 11.",
    "视图与原张量共用同一块内存。请改写它的副本（view.clone()），或者直接算出一个新张量。参见第 11 课。",
)

_WRITTEN_SINCE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[{kind} {shape}]{made_by} is at version {now}; expected version {saved} instead. Hint: "
)
_SAVED_BEFORE = (
    "{node} saved this tensor in the forward pass, and something has overwritten it since "
    "(x += 1, x[0] = 1, x.add_(1), an optimizer's step(), or a write through detach() or a view). Write x = x + 1 "
    "instead, or change a copy: x.clone(). Lesson 11 shows it.",
    "{node} 在前向传播时保存了这个张量，之后它被原地修改了（例如 x += 1、x[0] = 1、x.add_(1)、optimizer.step()，"
    "或者通过 detach() 或视图写入）。请改写成 x = x + 1，或者先用 x.clone() 复制一份再改。参见第 11 课。",
)

#: By its name: the kind of error, PyTorch's words, and perhaps the hint in English and in Chinese.
REFUSALS: dict[str, tuple[Any, ...]] = {
    # -- the backward pass ------------------------------------------------------------------------------------------
    "no graph": (
        RuntimeError,
        "element {index} of tensors does not require grad and does not have a grad_fn",
        "Nothing it was computed from has requires_grad=True (look for a misspelt requires_grad), or its way back is "
        "cut: by no_grad(), detach(), .data, item(), argmax(), ==, long(); a gradient's, without create_graph=True.",
        "参与计算的张量都没有设置 requires_grad=True（检查一下有没有拼写错误），或者计算图在途中断开了："
        "no_grad()、detach()、.data、item()、argmax()、==、long()；对梯度再求导，第一次要写 create_graph=True。",
    ),
    "no grad asked": (
        RuntimeError,
        "One of the differentiated Tensors does not require grad",
        "Set requires_grad=True on it before you compute with it.",
        "请在用它计算之前先设置 requires_grad=True。",
    ),
    "unused": (
        RuntimeError,
        "The differentiated Tensor at index {index} appears to not have been used in the graph. Set allow_unused=True "
        "if this is the desired behavior.",
        "No path leads from the outputs back to this tensor: look for .data, detach(), a name assigned anew.",
        "从输出沿计算图往回走，没有路径通向这个张量：检查是否用了 .data、detach()，或者在计算之后又给它重新赋了值。",
    ),
    "not a scalar": (
        RuntimeError,
        "grad can be implicitly created only for scalar outputs",
        "The output has the shape {shape}. Reduce it to one number first, for example by .sum() or .mean(), or say "
        "how much each element counts: y.backward(torch.ones_like(y)). Lesson 7.",
        "输出的形状是 {shape}。请先把它化为一个数，例如 .sum() 或 .mean()；"
        "或者指明每个元素的权重：y.backward(torch.ones_like(y))。参见第 7 课。",
    ),
    "grad of another shape": (
        RuntimeError,
        "Mismatch in shape: grad_output[{index}] has a shape of torch.Size({given}) and output[{index}] has a shape of "
        "torch.Size({wanted}).",
        *_NOT_BROADCAST,
    ),
    "sent in another shape": (
        RuntimeError,
        "{where} - got {given} but expected shape compatible with {wanted}",
        "The gradient of an input has the shape of that input.",
        "某个输入的梯度，形状必须与该输入相同。",
    ),
    "create_graph": (
        UserWarning,
        "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
        "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
        "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break "
        "the cycle and avoid the leak.",
    ),
    # -- saved values -----------------------------------------------------------------------------------------------
    "freed": (
        RuntimeError,
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward.",
        "{node} has already used and freed the values it saved. Compute the loss again before each backward(), or call "
        "the first one as backward(retain_graph=True). Lesson 10 shows it.",
        "{node} 保存的值已经用过并释放了。请在每次 backward() 之前重新计算 loss，"
        "或者第一次调用时写 backward(retain_graph=True)。参见第 10 课。",
    ),
    "written since": (
        RuntimeError,
        _WRITTEN_SINCE + "enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False).",
        *_SAVED_BEFORE,
    ),
    "written since, in anomaly mode": (
        RuntimeError,
        _WRITTEN_SINCE + "the backtrace further above shows the operation that failed to compute its gradient. The "
        "variable in question was changed in there or anywhere later. Good luck!",
        *_SAVED_BEFORE,
    ),
    "detached since": (
        RuntimeError,
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, "
        "please use out-of-place `.detach()` instead",
        "{node} saved this tensor, and detach_() has taken it out of the graph since. Lesson 8.",
        "{node} 保存了这个张量，之后它被 detach_() 移出了计算图。参见第 8 课。",
    ),
    "pack writes": (
        RuntimeError,
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
        "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you need "
        "to perform in-place operations on the input to a pack hook.",
        "Compute a new tensor in the hook: return t * 2 instead of t.mul_(2).",
        "请在钩子里算出一个新张量，例如写 return t * 2，而不是 t.mul_(2)。",
    ),
    "inference saved": (
        RuntimeError,
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
        "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.",
        "This operation saves its inputs for the backward pass, and a tensor made inside inference_mode() cannot be "
        "saved. Make it under no_grad() instead, or compute with its clone().",
        "这个运算要为反向传播保存输入，而在 inference_mode() 里创建的张量不能被保存。"
        "请改在 no_grad() 里创建，或者用它的 clone() 计算。",
    ),
    # -- writes in place --------------------------------------------------------------------------------------------
    "inference written": (
        RuntimeError,
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
        "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.",
    ),
    "leaf written": (
        RuntimeError,
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "Update a parameter inside `with torch.no_grad():`, so it is not recorded; all else by x = x + 1. Lesson 9.",
        "更新参数要写在 `with torch.no_grad():` 里面，更新本身就不会被记录；其他情形写 x = x + 1。参见第 9 课。",
    ),
    "view of leaf written": (
        RuntimeError,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        "x[0] = … writes into x itself. Do it inside `with torch.no_grad():`, or on a copy: x.clone().",
        "x[0] = … 会直接改写 x。请放进 `with torch.no_grad():`，或者先复制：x.clone()。",
    ),
    "view made under no_grad": (
        RuntimeError,
        "A view was created in no_grad mode {written} modified inplace with grad mode enabled."
        + _AMBIGUOUS.format(mode="no_grad"),
        *_WRITE_A_COPY,
    ),
    "view made in inference_mode": (
        RuntimeError,
        "A view was created in inference mode {written} modified inplace in normal mode."
        + _AMBIGUOUS.format(mode="inference_mode"),
        *_WRITE_A_COPY,
    ),
    "one of several views": (
        RuntimeError,
        "{output} {written} modified inplace{then}. This view is the output of a function that returns multiple "
        "views. Such functions do not allow the output views to be modified inplace. You should replace the inplace "
        "operation by an out-of-place one.",
        *_WRITE_A_COPY,
    ),
    "view made by a Function": (
        RuntimeError,
        "{output} {written} modified inplace{then}. This view was created inside a custom Function (or because an "
        "input was returned as-is) and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix "
        "this by cloning the output of the custom Function.",
        *_WRITE_A_COPY,
    ),
    # -- functions of one's own -------------------------------------------------------------------------------------
    "instantiated": (
        DeprecationWarning,
        "{kind} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on "
        "the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
    ),
    "called itself": (
        RuntimeError,
        "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function "
        "with static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)",
        "Make forward and backward static methods and call YourFunction.apply(x). Lesson 13.",
        "请把 forward 和 backward 写成静态方法，并用 YourFunction.apply(x) 调用。参见第 13 课。",
    ),
    "not differentiable again": (
        RuntimeError,
        "trying to differentiate twice a function that was marked with @once_differentiable",
    ),
    "number of gradients": (
        RuntimeError,
        "function {node} returned an incorrect number of gradients (expected {wanted}, got {given})",
    ),
    "gradient of no tensor": (
        RuntimeError,
        "function {node} returned a gradient different than None at position {position}, but the corresponding forward "
        "input was not a Variable",
    ),
    "dirty not returned": (
        RuntimeError,
        "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
        "modified inplace must all be outputs of the Function.",
        "Return the tensor that you marked with ctx.mark_dirty(…).",
        "用 ctx.mark_dirty(…) 标记过的张量必须作为 forward 的返回值。",
    ),
    "dirty view": (
        RuntimeError,
        "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more "
        "than one Tensor. This is not supported by the current autograd engine. You should either make sure the input "
        "is not a view (using .clone() for example) or make your Function only return one Tensor (potentially "
        "splitting it into two Functions: one doing the inplace that returns a single Tensor and a second one that "
        "does the other operations). You can ask on the forum https://discuss.pytorch.org/ if you need help to do this "
        "change.",
    ),
    "no forward": (NotImplementedError, "You must implement the forward function for custom autograd.Function."),
    "no setup_context": (NotImplementedError, "setup_context is not implemented."),
    "no backward": (
        NotImplementedError,
        "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
        "backward mode AD.",
    ),
    # -- attributes of tensors --------------------------------------------------------------------------------------
    "flag of a result": (RuntimeError, "you can only change requires_grad flags of leaf variables.", *_FLAG_FOLLOWS),
    "flag of a result taken away": (
        RuntimeError,
        "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
        "subgraph that doesn't require differentiation use var_no_grad = var.detach().",
        *_FLAG_FOLLOWS,
    ),
    "grad of a result": (
        UserWarning,
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
        "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
        "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
        "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
    ),
    "no floats": (
        RuntimeError,
        "only Tensors of floating point {kinds}dtype can require gradients",
        "Write 1.0 instead of 1, or x.float(): only floating-point numbers have gradients.",
        "请写 1.0 而不是 1，或者用 x.float()：只有浮点数才有梯度。",
    ),
    "inference flag": (
        RuntimeError,
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
    ),
    "grad of another type": (
        RuntimeError,
        "attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype '{own}'. The gradient must "
        "match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute "
        "with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a "
        "tensor and its gradient may break downstream systems that assume they match.",
    ),
    "grad of another size": (
        RuntimeError,
        "attempting to assign a gradient of size '{given}' to a tensor of size '{own}'. Please ensure that the "
        "gradient and the tensor are the same size",
    ),
    "view detached": (
        RuntimeError,
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
        "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
        "cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
        "torch/optim/optimizer.py as the solution.",
    ),
    "result copied": (
        RuntimeError,
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If "
        "you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
        "https://github.com/pytorch/pytorch/pull/103001",
    ),
    "several as a number": (
        RuntimeError,
        "a Tensor with {size} elements cannot be converted to Scalar",
        "item() is for tensors with one element; use tolist() for more.",
        "item() 只能用于只有一个元素的张量；元素多于一个时请用 tolist()。",
    ),
    "unused made zeros": (
        ValueError,
        "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
    ),
    "numbers of a graph": (
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
        "numpy records nothing, so give it an untracked tensor on the same numbers: x.detach().numpy().",
        "numpy 不会记录计算过程，请改用 detach() 返回的、未被追踪的张量：x.detach().numpy()。",
    ),
    "several as a truth": (
        RuntimeError,
        "Boolean value of Tensor with more than one value is ambiguous",
        "`if x > 0:` on several elements: do you mean (x > 0).all() or (x > 0).any()?",
        "`if x > 0:` 比较的是多个元素：应当写 (x > 0).all() 还是 (x > 0).any()？",
    ),
}
