"""PyTorch's signatures over the operations of `ops/`: what `minigrad.sum`, `minigrad.where` and most methods are.

An operation in `ops/` is one formula on normalized arguments. Here stand the many ways in which a user may write it:
defaults, keywords, negative dimensions, numbers in the place of tensors, and the errors for what PyTorch refuses.
Operations that need none of this are the function, but for arrays: `exp` is `ops.pointwise.exp` for tensors only.
"""

from __future__ import annotations

from typing import Any

from ..hints import loaded_later

#: Where each function is. A module is loaded when one of its functions is first asked for.
_HOMES = {
    ".comparison": (
        "allclose equal is_complex is_floating_point is_nonzero is_tensor isclose isfinite isinf isnan isneginf "
        "isposinf isreal numel signbit"
    ),
    ".contraction": "einsum",
    ".drawing": (
        "bernoulli bernoulli_ exponential_ multinomial normal normal_ rand rand_like randint randint_like randn "
        "randn_like randperm random_ uniform_"
    ),
    ".indexing": (
        "argwhere gather index_add index_copy index_fill index_put index_select masked_select nonzero scatter "
        "scatter_add take take_along_dim"
    ),
    ".joins": (
        "block_diag cartesian_prod cat column_stack combinations concat concatenate diff dstack flip fliplr flipud "
        "hstack meshgrid repeat repeat_interleave roll rot90 row_stack stack tile vstack"
    ),
    ".matrices": "det inverse logdet matrix_power pinverse slogdet",
    ".order": (
        "argsort bincount bucketize cummax cummin histc isin kthvalue median mode msort nanmedian quantile "
        "searchsorted sort topk unique unique_consecutive"
    ),
    ".pointwise": (
        "absolute add addcdiv addcmul arccos arccosh arcsin arcsinh arctan arctan2 arctanh atan2 bitwise_and "
        "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor clamp clamp_max clamp_min clip "
        "clone copysign deg2rad div divide eq fix float_power floor_divide fmax fmin fmod gcd ge greater "
        "greater_equal gt heaviside hypot lcm ldexp le lerp less less_equal logaddexp logaddexp2 logical_and "
        "logical_not logical_or logical_xor logit lt masked_fill maximum minimum mul multiply nan_to_num ne negative "
        "not_equal polygamma positive pow rad2deg remainder round rsub square sub subtract true_divide where xlogy"
    ),
    ".products": (
        "addbmm addmm addmv addr baddbmm bmm cdist cross dist dot ger inner kron matmul mm mv outer tensordot trace "
        "vdot"
    ),
    ".reduction": (
        "all amax amin any argmax argmin count_nonzero cumprod cumsum log_softmax logcumsumexp logsumexp max mean min "
        "nanmean nansum norm prod softmax std std_mean sum var var_mean"
    ),
    ".shape": (
        "adjoint atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors broadcast_to chunk detach diag "
        "diag_embed diagflat diagonal dsplit expand flatten hsplit moveaxis movedim narrow permute ravel reshape "
        "select split squeeze swapaxes swapdims t tensor_split transpose tril triu unbind unflatten unfold unsqueeze "
        "view vsplit"
    ),
    "..ops.pointwise": (
        "abs acos acosh asin asinh atan atanh ceil cos cosh exp exp2 expm1 floor frac log log10 log1p log2 neg "
        "reciprocal rsqrt sgn sign sin sinc sinh sqrt tan trunc"
    ),
    "..ops.special": "digamma erf erfc erfinv lgamma",
    "..ops.activation": "relu sigmoid tanh",
}
#: What is only there for tensors: `x.view(2, 3)`.
METHODS_ONLY = ["bernoulli_", "expand", "exponential_", "normal_", "random_", "repeat", "unfold", "uniform_", "view"]

__all__ = [name for name in " ".join(_HOMES.values()).split() if name not in METHODS_ONLY]

_load, __dir__ = loaded_later(__name__, __all__, _HOMES)


def __getattr__(name: str) -> Any:
    function = _load(name)
    if hasattr(function, "forward"):  # an operation, from `ops`
        from .calling import for_tensors

        globals()[name] = function = for_tensors(function)
    return function
