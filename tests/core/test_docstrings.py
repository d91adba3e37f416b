"""PyTorch's own examples, from the docstrings of the installed PyTorch, under both libraries.

Each statement of each example must show under minigrad what it shows under PyTorch: printed text, the values that it
changes and their gradients, the error, the warnings. `python -m tests.reference.docstrings` prints the differences.
"""

import functools
from collections import Counter
from collections.abc import Callable

import pytest

import minigrad
from tests.reference.docstrings import Outcome, names, outcomes

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")

VERSION = "2.13"

_NO_COMPLEX = "minigrad has no complex numbers"
_RARE = "no lesson, note or autograd tutorial uses it"

# Names in PyTorch's examples that minigrad does not have, and why. An entry that no example needs any more must go.
NOT_HERE = {
    "cdouble": _NO_COMPLEX,
    "cfloat": _NO_COMPLEX,
    "complex64": _NO_COMPLEX,
    "complex128": _NO_COMPLEX,
    "LinearLR": "of the schedules those of everyday loops are there",
    "dist": _RARE,
    "dstack": _RARE,
    "random_": _RARE,
}

_A_LOOP = "vmap is a loop, and what it returns is stacked"
_BUILT_IN = "PyTorch's functions are written in C, and print so"
_UNSTABLE = "PyTorch does not promise the order of equal elements in a sort that is not stable"
_ONE_NORM = "of the norms of a matrix there is the Frobenius norm"

# Statements that show something else under minigrad: the docstring's name, the statement's number, and why.
# An entry that no longer differs must go.
OTHERWISE = {
    **{("torch.nn.AdaptiveAvgPool2d", number): "it gives one mean for each image" for number in (2, 5, 8)},
    ("torch.set_default_device", 7): "rests on a GPU being the default device",
    ("torch.sort", 8): _UNSTABLE,
    **{
        (f"torch.autograd.functional.{name}", 4): "the node behind a recorded derivative has another name"
        for name in ("jvp", "vhp", "hvp")
    },
    ("torch.func.grad", 14): _A_LOOP,
    ("torch.vmap", 0): _BUILT_IN,
    ("torch.vmap", 8): _A_LOOP,
    ("torch.vmap", 18): _BUILT_IN,
    ("torch.vmap", 22): _BUILT_IN,
    ("torch.vmap", 26): _BUILT_IN,
    ("torch.linalg.LinAlgError", 3): "that a matrix is singular is said, but not where",
    **{("torch.linalg.norm", number): _ONE_NORM for number in (9, 11, 13, 15, 17, 19)},
    **{("torch.linalg.norm", number): f"of norms of an order below 1, {_RARE}" for number in (10, 14, 18, 21)},
    **{("torch.Tensor.scatter_", number): f"it writes a number: of tensors, {_RARE}" for number in (3, 5)},
    **{("torch.Tensor.view", number): f"of numbers read as another type, {_RARE}" for number in (16, 17, 18, 19)},
    **{("torch.nn.Conv2d", number): f"of dilation=, {_RARE}" for number in (2, 3, 4)},
    **{("torch.nn.Embedding", number): f"of padding_idx=, {_RARE}" for number in (3, 5, 7, 8, 10)},
    ("torch.nn.functional.embedding", 7): f"of padding_idx=, {_RARE}",
    **{("torch.func.jacfwd", number): f"of has_aux=, {_RARE}" for number in (13, 14)},
    **{("torch.func.jacrev", number): f"of has_aux=, {_RARE}" for number in (9, 10)},
    ("torch.vmap", 34): f"in_dims are numbers: of dimensions in dicts, {_RARE}",
    ("torch.Tensor.scatter_", 6): "reduce=, which PyTorch has deprecated",
    ("torch.Tensor.scatter_", 7): "reduce=, which PyTorch has deprecated",
    ("torch.clamp", 4): f"bounds are numbers: of tensors, {_RARE}",
    **{("torch.einsum", number): f"of lists of numbers, diagonals and dots, {_RARE}" for number in (0, 1, 8, 10)},
    **{("torch.repeat_interleave", number): f"of a count for each element, {_RARE}" for number in (5, 6, 7)},
    **{("torch.utils.data.random_split", n): "they are said to be where pickle finds them" for n in (2, 3)},
    **{("torch.div", number): f"of rounding_mode=, {_RARE}" for number in (5, 6)},
}


@functools.cache
def found(name: str) -> list[Outcome]:
    return outcomes(name, names()[name], minigrad, torch)


def judged(name: str) -> tuple[list[Outcome], list[str]]:
    """The statements that differ, and the names that are missing, without those that are known."""
    different = [o for o in found(name) if o.verdict == "different" and (name, o.number) not in OTHERWISE]
    missing = [o.verdict.removeprefix("no ") for o in found(name) if o.verdict.startswith("no ")]
    return different, sorted(set(missing) - set(NOT_HERE))


@pytest.fixture(autouse=True, scope="module")
def _the_right_pytorch() -> None:
    if not torch.__version__.startswith(VERSION):
        pytest.skip(f"the exceptions are those of PyTorch {VERSION}, installed is {torch.__version__}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names())
def test_docstring(name: str, record_property: Callable[[str, object], None]) -> None:
    if name == "torch.set_default_device" and torch.version.cuda is not None:
        pytest.skip("a CUDA build of PyTorch, which says other things where there is no GPU")
    different, missing = judged(name)
    for verdict, count in Counter(o.verdict for o in found(name)).items():
        record_property("statements", (verdict, count))
    shown = [f"\n{o.number}: {o.code}\n--- minigrad\n{o.given}\n--- PyTorch\n{o.expected}" for o in different]
    assert not different, "".join(shown)
    assert not missing, f"names that an example uses and minigrad does not have: {missing}"


@pytest.mark.parametrize(("name", "number"), OTHERWISE)
def test_the_exceptions_are_still_needed(name: str, number: int) -> None:
    assert found(name)[number].verdict == "different"


def test_the_missing_names_are_still_missing() -> None:
    needed = {outcome.verdict.removeprefix("no ") for name in names() for outcome in found(name)}
    assert sorted(set(NOT_HERE) - needed) == []


def test_much_is_compared() -> None:
    """The rules by which statements are skipped leave nine of ten."""
    verdicts = Counter(outcome.compared for name in names() for outcome in found(name))
    assert verdicts[True] > 1350
    assert verdicts[True] > 9 * verdicts[False]
