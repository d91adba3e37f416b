"""minigrad's graphs are PyTorch's graphs: the same program drawn under both gives the same picture, to the letter."""

import re
from pathlib import Path

import pytest

import viz
from tests.reference.programs import every_warning, imported_as_torch, load, run
from viz.model.protocol import is_tensor

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
minigrad = pytest.importorskip("minigrad")

RECORDED = Path(__file__).parents[1] / "reference"

# Where minigrad's own graph is another one, and why. An entry that no longer differs can go.
OTHERWISE = {
    # The graph behind a gradient is that of minigrad's formula: several operations where PyTorch has one of its own.
    "pasted: a gradient penalty through a convolution",
    "tutorials: a hessian by hand",
    "tutorials_more: gradient penalty",
    # Windows that overlap are added up by another operation where the derivative is itself recorded.
    "numbers: windows of a base that was written, twice differentiated",
    "numbers: an expanded view of a base that was written, twice differentiated",
    # PyTorch goes through the graph once, with all gradients side by side; minigrad once for each.
    "edges: batched gradients with create_graph",
    "edges: batched gradients and an unused input",
    # PyTorch cuts the graph behind a backward that may run once; here the node that refuses leads on.
    "function: once_differentiable",
    "function_more: once_differentiable without a second derivative",
    # After a refused change PyTorch has lost the saved tensor.
    "saved_hooks: hooks on a saved tensor that are wrong",
    # PyTorch takes the second derivative of a determinant through its singular value decomposition.
    "outputs: the determinant of a singular matrix",
    # Which of the infinities are negative is decided by the sign of a zero in the factorization, and differs.
    "outputs: slogdet of a singular matrix",
    # Of the two kinds of checkpoint there is the one that records its operations.
    "pasted: a checkpoint of either kind",
    # A view keeps apart what torch.func differentiates from what is outside.
    "pasted: torch.func and ordinary leaves",
    # Two of its coefficients are zero but for what rounding leaves, which is not the same.
    "tutorials_more: a Legendre polynomial as a Function",
}


def kept(text):
    """`text` without freed values: which slots are still known to have been filled is each library's own affair.

    PyTorch numbers the results of some operations with several; a saved result of minigrad's is called `result`.
    """
    return re.sub(r"\n  saved .*, freed", "", text).replace("saved result0 =", "saved result =")


def has_graph(value):
    try:
        return is_tensor(value) and value.requires_grad and (value.grad_fn is None or True)
    except RuntimeError:  # a view that lost its place in the graph, for its memory was written elsewhere
        return False


def pictures(library, cases, saved):
    """After each cell of each notebook: what it said, and the picture of all that its variables hold and that has a
    graph."""
    seen, notebooks = [], {}
    with imported_as_torch(library), every_warning(library):
        for case in cases:
            if case.namespace not in notebooks:
                notebooks[case.namespace] = {"__name__": "__main__", "torch": library}
                library.manual_seed(0)
            variables = notebooks[case.namespace]
            answer = run(case.code, variables, f"<{case.title}>")
            named = {name: value for name, value in variables.items() if has_graph(value)}
            picture = viz.draw(*named.values(), names=named, show="saved" if saved else ()) if named else None
            failed = answer.error and answer.error["type"]
            seen.append(((answer.stdout.replace("minigrad", "torch"), failed), picture))
    return seen


def compared(file, saved):
    """(case, minigrad's picture, PyTorch's) of the programs that say the same: what they say is other tests' affair,
    and where it differs the graphs need not be equal."""
    # the training loops take long and draw the graph of one step, as a program below does
    cases = [case for case in load(RECORDED / f"{file}.json") if "training" not in case.name]
    ours, theirs = pictures(minigrad, cases, saved), pictures(torch, cases, saved)
    same = [(c, mine, right) for c, (a, mine), (b, right) in zip(cases, ours, theirs) if a == b]
    assert len(same) > 0.9 * len(cases)
    assert [c.name for c, mine, right in same if (mine is None) != (right is None)] == []
    drawn = [(c, mine, right) for c, mine, right in same if right is not None and c.name not in OTHERWISE]
    assert len(drawn) > 20
    return drawn


@pytest.mark.parametrize("file", ["seed-cases", "note-cases", "engine-cases"])
def test_recorded_programs(file):
    for case, mine, right in compared(file, saved=False):
        assert mine.text == right.text, f"after {case.name}"
        assert mine.source == right.source, f"after {case.name}"


@pytest.mark.parametrize("file", ["note-cases", "engine-cases"])
def test_saved_tensors_of_recorded_programs(file):
    for case, mine, right in compared(file, saved=True):
        assert kept(mine.text) == kept(right.text), f"after {case.name}"


# ---------------------------------------------------------------------------------------------------------------------
# Programs of the kinds that users draw. Each gets the library and returns what is to be drawn, by name.


def linear(torch):
    w = torch.tensor([2.0], requires_grad=True)
    b = torch.tensor([1.0], requires_grad=True)
    x = torch.tensor([3.0])
    z = w * x + b
    return {"w": w, "b": b, "x": x, "z": z}


def diamond(torch):
    x = torch.tensor(3.0, requires_grad=True)
    z = (2 * x) * (5 * x)
    z.backward()
    return {"x": x, "z": z}


def two_layers(torch):
    torch.manual_seed(0)
    x, w1 = torch.randn(4, 3), torch.randn(3, 5, requires_grad=True)
    b1, w2 = torch.zeros(5, requires_grad=True), torch.randn(5, 1, requires_grad=True)
    hidden = (x @ w1 + b1).relu()
    loss = (hidden @ w2).pow(2).mean()
    loss.backward()
    return {"w1": w1, "b1": b1, "w2": w2, "hidden": hidden, "loss": loss}


def recurrent(torch):
    torch.manual_seed(0)
    x, w = torch.randn(60, 3), torch.randn(3, 3, requires_grad=True)
    u, h = torch.randn(3, 3, requires_grad=True), torch.zeros(3)
    for t in range(60):
        h = torch.tanh(x[t] @ w + h @ u)
    loss = h.sum()
    return {"w": w, "u": u, "loss": loss}


def attention(torch):
    torch.manual_seed(0)
    x = torch.randn(4, 6)
    wq, wk, wv = (torch.randn(6, 6, requires_grad=True) for _ in range(3))
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = (q @ k.t() / 6**0.5).exp()
    out = (scores / scores.sum(1, keepdim=True)) @ v
    return {"wq": wq, "wk": wk, "wv": wv, "scores": scores, "out": out}


def two_losses(torch):
    torch.manual_seed(0)
    g, d = torch.randn(3, 2, requires_grad=True), torch.randn(2, 1, requires_grad=True)
    noise, real = torch.randn(5, 3), torch.randn(5, 2)
    fake = noise @ g
    loss_d = -(torch.sigmoid(real @ d).log().mean() + (1 - torch.sigmoid(fake.detach() @ d)).log().mean())
    loss_g = -torch.sigmoid(fake @ d).log().mean()
    return {"g": g, "d": d, "fake": fake, "loss_d": loss_d, "loss_g": loss_g}


def views_in_place(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 1.0
    y[0] *= 2
    y.t()[1] += 3
    loss = y.sum()
    return {"x": x, "y": y, "loss": loss}


def several_outputs(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    a, _, c = x.unbind()
    y = a * c
    return {"x": x, "a": a, "y": y}


def detached(torch):
    x = torch.tensor(3.0, requires_grad=True)
    a = x * x
    c = a.detach()
    with torch.no_grad():
        n = a * 2
    z = a * c + n
    return {"x": x, "a": a, "c": c, "n": n, "z": z}


def retained(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    y.retain_grad()
    loss = (y * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    return {"x": x, "y": y, "loss": loss}


def own_function(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a**3

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return 3 * a**2 * g

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = Cube.apply(x).sum()
    return {"x": x, "y": y}


def second_derivative(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (slope,) = torch.autograd.grad((x.exp() * x).sum(), x, create_graph=True)
    penalty = (slope * slope).sum()
    return {"x": x, "slope": slope, "penalty": penalty}


def broadcast(torch):
    w = torch.ones(3, requires_grad=True)
    b = torch.tensor(0.5, requires_grad=True)
    y = (torch.ones(4, 3) * w + b).reshape(2, 6).mean(0)
    return {"w": w, "b": b, "y": y}


def long_chain(torch):
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y * 1.0 + x
    return {"x": x, "y": y}


PROGRAMS = [
    linear, diamond, two_layers, recurrent, attention, two_losses, views_in_place, several_outputs, detached, retained,
    own_function, second_derivative, broadcast, long_chain,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_same_picture(program):
    drawn = []
    for library in (minigrad, torch):
        named = program(library)
        outputs = [tensor for tensor in named.values() if tensor.grad_fn is not None]
        drawn.append(viz.draw(*outputs, names=named, show=("saved", "order")))
    mine, right = drawn
    assert kept(mine.text) == kept(right.text)
    if "freed" not in right.text:
        assert mine.source == right.source
