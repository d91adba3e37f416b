"""Nothing in an operation, the engine or an optimizer waits for the GPU; and the stand-in sees what would."""

import numpy as np
import pytest

import minigrad as torch
from minigrad.ops import pointwise
from tests.core.parity import renamed
from tests.device import machine, stand_in

only_stand_in = pytest.mark.skipif(machine.is_real(), reason="counts the waits of the stand-in")


@pytest.fixture(autouse=True)
def on_gpu():
    with machine.gpu(one_generator=False):
        yield


def notes_network(steps: int, device: str = "cuda") -> list:
    """The notes' two-layer network, with weights updated by hand; the losses stay on the device."""
    torch.manual_seed(0)
    x, y = torch.randn(64, 1000, device=device), torch.randn(64, 10, device=device)
    w1 = torch.randn(1000, 100, device=device, requires_grad=True)
    w2 = torch.randn(100, 10, device=device, requires_grad=True)
    losses = []
    for _ in range(steps):
        loss = (x.mm(w1).clamp(min=0).mm(w2) - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            w1 -= 1e-6 * w1.grad
            w2 -= 1e-6 * w2.grad
            w1.grad.zero_()
            w2.grad.zero_()
        losses.append(loss.detach())
    return losses


def with_optimizer(optimizer: str, steps: int) -> list:
    """A classifier: embedding, linear layers, dropout, cross entropy."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Embedding(20, 8), torch.nn.Flatten(), torch.nn.Linear(24, 16), torch.nn.ReLU(), torch.nn.Dropout(0.1),
        torch.nn.Linear(16, 4),
    )  # fmt: skip
    words, classes = torch.randint(20, (32, 3)), torch.randint(4, (32,))
    update = getattr(torch.optim, optimizer)(model.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        loss = torch.nn.functional.cross_entropy(model(words), classes)
        update.zero_grad()
        loss.backward()
        update.step()
        losses.append(loss.detach())
    return losses


TRAININGS = {
    "the notes' network": notes_network,
    "SGD": lambda steps: with_optimizer("SGD", steps),
    "Adam": lambda steps: with_optimizer("Adam", steps),
}


@only_stand_in
@pytest.mark.parametrize("train", TRAININGS.values(), ids=TRAININGS)
def test_a_hundred_steps_of_training_do_not_wait(train) -> None:
    with stand_in.counted() as waits:
        losses = train(100)
        assert waits == []
        assert losses[-1].item() < losses[0].item()
        assert waits.count("get") >= 2, "looking does wait"


@only_stand_in
def test_a_float_in_an_operation_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: an operation that looks at a number."""
    x = torch.ones(3, requires_grad=True)
    forward = pointwise.exp.forward

    def looks(self):
        return forward(self) * (1.0 if float(self.sum()) > 0 else 2.0)

    exp = pointwise.unary("ExpBackward0", self=lambda grad, result: grad * result)(looks)
    with stand_in.counted() as waits:
        pointwise.exp(x)
        assert waits == []
        exp(x)
    assert waits == ["float"]


@pytest.mark.parametrize(
    "planted",
    [
        lambda self: np.asarray(self) * 2,  # turns it into numpy's without being asked
        lambda self: self * np.ones(3, np.float32),  # numpy's beside cupy's
        lambda self: np.spacing(self),
        lambda self: np.insert(self, 0, 1.0),
        lambda self: self.astype(object),
        lambda self: np.add(self, 1, where=True),
        lambda self: np.maximum.accumulate(self),
    ],
    ids=["asarray", "mixed", "numpy's ufunc", "numpy's function", "objects", "where", "accumulate"],
)
def test_a_numpy_call_in_an_operation_fails(planted) -> None:
    """Planted: what works on numpy's arrays only."""
    operation = pointwise.unary("MulBackward0", self=lambda grad: grad)(lambda self: planted(self))
    operation(torch.ones(3, device="cpu"))
    with pytest.raises((TypeError, ValueError, NotImplementedError, AttributeError)):
        operation(torch.ones(3))


def test_a_wrong_number_is_found_when_somebody_looks() -> None:
    scores = torch.zeros(2, 3, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(scores, torch.tensor([0, 3]))
    loss.backward()
    with pytest.raises(IndexError, match="Target 3 is out of bounds.") as caught:
        print(loss)
    assert "has found this only now" in caught.value.__notes__[-1]
    assert renamed(str(torch.ones(2))).startswith("tensor([1., 1.]"), "once said, it is done"
