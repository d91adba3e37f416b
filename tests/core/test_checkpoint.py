"""Checkpoints, asked of minigrad and of PyTorch: the same gradients, and computed again just as often."""

from importlib import import_module
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(params=["minigrad", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    library = pytest.importorskip(request.param)
    import_module(f"{request.param}.utils.checkpoint")
    return library


def leaf(torch: Any) -> Any:
    return torch.tensor(3.0, requires_grad=True)


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_none_among_the_arguments_stays_none(torch: Any, use_reentrant: bool) -> None:
    """A tensor in its place would be another branch of the function: a wrong gradient."""

    def function(x: Any, k: Any, c: Any) -> Any:
        return x * c if k is None else x * k * k

    def none_first(k: Any, x: Any) -> Any:
        return x * 2 if k is None else x * k

    x = leaf(torch)
    checkpoint = torch.utils.checkpoint.checkpoint
    checkpoint(function, x, None, torch.tensor(5.0), use_reentrant=use_reentrant).backward()
    assert x.grad.item() == 5
    checkpoint(none_first, None, x, use_reentrant=use_reentrant).backward()
    assert x.grad.item() == 7


@pytest.mark.parametrize("passes", [1, 2, 3])
def test_it_is_computed_again_once_for_each_pass_and_not_to_the_end(torch: Any, passes: int) -> None:
    """What is kept from one pass to the next is what a checkpoint is there to save; and forward hooks count."""
    ran: list[str] = []

    def function(x: Any) -> Any:
        ran.append("start")
        y = (x * x).exp()  # the last that is saved
        ran.append("after the last saved tensor")
        return y + 1

    x = leaf(torch)
    y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)
    for left in reversed(range(passes)):
        y.backward(retain_graph=left > 0)
    assert ran == ["start", "after the last saved tensor"] + ["start"] * passes


def test_a_saved_tensor_that_is_looked_at_outside_a_pass(torch: Any) -> None:
    x = leaf(torch)
    y = torch.utils.checkpoint.checkpoint(lambda x: x * x, x, use_reentrant=False)
    assert [y.grad_fn._saved_self.item() for _ in range(2)] == [3, 3]
    y.backward()
    assert x.grad.item() == 6


def test_saved_tensors_are_unpacked_once_in_a_pass(torch: Any) -> None:
    class Twice(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * (ctx.saved_tensors[0] + ctx.saved_tensors[0])

    y = torch.utils.checkpoint.checkpoint(Twice.apply, leaf(torch), use_reentrant=False)
    with pytest.raises(torch.utils.checkpoint.CheckpointError, match="already unpacked once"):
        y.backward()


def test_a_checkpoint_inside_a_checkpoint(torch: Any) -> None:
    ran: list[str] = []
    checkpoint = torch.utils.checkpoint.checkpoint

    def inner(x: Any) -> Any:
        ran.append("inner")
        return x * x * x

    def outer(x: Any) -> Any:
        ran.append("outer")
        return checkpoint(inner, x * 2, use_reentrant=False) * x

    x = leaf(torch)
    checkpoint(outer, x, use_reentrant=False).backward()
    assert (x.grad.item(), ran) == (864, ["outer", "inner", "outer", "inner", "inner"])
