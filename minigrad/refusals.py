"""What autograd and tensors refuse or warn of, in PyTorch's words; what to do instead stands in cures.py.

`raise refused("freed", node=node.name())` is the error of the row "freed", with the name of that node in its hint.
A row begins with a #, its name and, where it is no RuntimeError, the kind of error or warning.
"""

from __future__ import annotations

import builtins
from typing import Any

from .hints import hinted


def refused(name: str, /, **values: Any) -> Exception:
    """The error, or the warning, of this name, with `values` in its words and its hint."""
    kind, words = REFUSALS[name]
    error: Exception = kind(words.format(**values))
    return error if issubclass(kind, Warning) else hinted(error, **values)


_TABLE = """
-- the backward pass --
# no graph
element {index} of tensors does not require grad and does not have a grad_fn
# no grad asked
One of the differentiated Tensors does not require grad
# unused
The differentiated Tensor at index {index} appears to not have been used in the graph. Set allow_unused=True if this \
is the desired behavior.
# not a scalar
grad can be implicitly created only for scalar outputs
# grad of another shape
Mismatch in shape: grad_output[{index}] has a shape of torch.Size({given}) and output[{index}] has a shape of \
torch.Size({wanted}).
# no tensor as a grad: TypeError
gradients can be either Tensors or None, but got {given}
# sent in another shape
Function {node} returned an invalid gradient at index {index} - got {given} but expected shape compatible with {wanted}
# create_graph: UserWarning
Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can \
cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this \
function, make sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the \
leak.
-- saved values --
# freed
Trying to backward through the graph a second time (or directly access saved tensors after they have already been \
freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify \
retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after \
calling backward.
# written since
one of the variables needed for gradient computation has been modified by an inplace operation: [{kind} \
{shape}]{made_by} is at version {now}; expected version {saved} instead. Hint: enable anomaly detection to find the \
operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).
# written since, in anomaly mode
one of the variables needed for gradient computation has been modified by an inplace operation: [{kind} \
{shape}]{made_by} is at version {now}; expected version {saved} instead. Hint: the backtrace further above shows the \
operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good \
luck!
# detached since
Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please use \
out-of-place `.detach()` instead
# pack writes
A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by \
in-place operations as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place \
operations on the input to a pack hook.
# inference saved
Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation \
tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use \
`torch.no_grad()` instead of `torch.inference_mode()`.
-- writes in place --
# inference written
Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor \
before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.
# leaf written
a leaf Variable that requires grad is being used in an in-place operation.
# view of leaf written
a view of a leaf Variable that requires grad is being used in an in-place operation.
# view made under no_grad
{output} {written} modified inplace with grad mode enabled. Given that this use case is \
ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either \
both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace \
to be tracked).
# view made in inference_mode
A view was created in inference mode {written} modified inplace in normal mode. Given that this use case is ambiguous \
and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside \
the inference_mode block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be \
tracked).
# one of several views
{output} {written} modified inplace{then}. This view is the output of a function that returns multiple views. Such \
functions do not allow the output views to be modified inplace. You should replace the inplace operation by an \
out-of-place one.
# view made by a Function
{output} {written} modified inplace{then}. This view was created inside a custom Function (or because an input was \
returned as-is) and the autograd logic to handle view+inplace would override the custom backward associated with the \
custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of \
the custom Function.
-- functions of one's own --
# instantiated: DeprecationWarning
{kind} should not be instantiated. Methods on autograd functions are all static, so you should invoke them on the \
class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.
# called itself
Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with \
static forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)
# not differentiable again
trying to differentiate twice a function that was marked with @once_differentiable
# number of gradients
function {node} returned an incorrect number of gradients (expected {wanted}, got {given})
# gradient of no tensor
function {node} returned a gradient different than None at position {position}, but the corresponding forward input \
was not a Variable
# dirty not returned
Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified \
inplace must all be outputs of the Function.
# dirty view
If your Function modifies inplace an input that is a view of another Tensor, your Function cannot return more than one \
Tensor. This is not supported by the current autograd engine. You should either make sure the input is not a view \
(using .clone() for example) or make your Function only return one Tensor (potentially splitting it into two \
Functions: one doing the inplace that returns a single Tensor and a second one that does the other operations). You \
can ask on the forum https://discuss.pytorch.org/ if you need help to do this change.
# no forward: NotImplementedError
You must implement the forward function for custom autograd.Function.
# no backward: NotImplementedError
You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD.
-- attributes of tensors --
# flag of a result
you can only change requires_grad flags of leaf variables.
# flag of a result taken away
you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that \
doesn't require differentiation use var_no_grad = var.detach().
# grad of a result: UserWarning
The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated \
during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use \
.retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf \
Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.
# no floats
only Tensors of floating point {kinds}dtype can require gradients
# inference flag
Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.
# grad of another type
attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype '{own}'. The gradient must match the \
tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific \
dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may \
break downstream systems that assume they match.
# grad of another size
attempting to assign a gradient of size '{given}' to a tensor of size '{own}'. Please ensure that the gradient and the \
tensor are the same size
# view detached
Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and \
gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on \
these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as \
the solution.
# result copied
Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you were \
attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see \
https://github.com/pytorch/pytorch/pull/103001
# several as a number
a Tensor with {size} elements cannot be converted to Scalar
# unused made zeros: ValueError
Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.
# numbers of a graph
Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
# several as a truth
Boolean value of Tensor with more than one value is ambiguous
"""

#: By its name: the kind of error, and PyTorch's words.
REFUSALS: dict[str, tuple[Any, str]] = {}
for _heading, _words, *_ in map(str.splitlines, _TABLE.split("\n# ")[1:]):
    _name, _, _kind = _heading.partition(": ")
    REFUSALS[_name] = getattr(builtins, _kind or "RuntimeError"), _words
