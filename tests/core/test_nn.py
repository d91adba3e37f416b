"""Modules, losses and optimizers: a program gives the same text and numbers under minigrad and under PyTorch."""

import copy
import importlib
import pickle
import re

import pytest

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
minigrad = importlib.import_module("minigrad")


def network(library):
    """A small network as a learner writes it."""

    class Net(library.nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = library.nn.Sequential(library.nn.Linear(3, 8), library.nn.Tanh(), library.nn.Dropout(0.25))
            self.out = library.nn.Linear(8, 4, bias=False)
            self.scale = library.nn.Parameter(library.ones(1))
            self.register_buffer("seen", library.zeros(2))

        def forward(self, x):
            return self.out(self.hidden(x)) * self.scale

    return Net


def same(program):
    """`program(library)` returns text and tensors: both libraries must give the same."""
    given, expected = [], []
    for library, into in ((minigrad, given), (torch, expected)):
        library.manual_seed(0)
        into.extend(program(library))
    assert len(given) == len(expected)
    for one, other in zip(given, expected, strict=True):
        if isinstance(other, torch.Tensor):
            assert tuple(one.shape) == tuple(other.shape)
            assert one.flatten().tolist() == pytest.approx(other.flatten().tolist(), rel=1e-5, abs=1e-6)
        else:
            assert re.sub(r"\bminigrad\b", "torch", str(one)) == str(other)


def failure(action):
    """Type and message of the error that `action` raises."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 (which error it is, is what is compared)
        action()
    return f"{type(caught.value).__name__}: {caught.value}"


def test_initial_values_and_text_for_a_seed():
    def program(library):
        net = network(library)()
        yield net
        yield list(net.state_dict())
        yield net.scale
        for name, parameter in net.named_parameters():
            yield name
            yield parameter.detach()
        yield net.out.weight.requires_grad, net.out.weight.is_leaf, net.out.bias

    same(program)


def test_initial_values_are_equal_to_the_last_bit():
    for library in (minigrad, torch):
        library.manual_seed(3)
    ours, theirs = minigrad.nn.Linear(7, 20), torch.nn.Linear(7, 20)
    assert ours.weight.tolist() == theirs.weight.tolist()
    assert ours.bias.tolist() == theirs.bias.tolist()


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        ("SGD", {"lr": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9}),
        ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
        ("SGD", {"lr": 0.1, "momentum": 0.5, "dampening": 0.2, "maximize": True}),
        ("Adam", {}),
        ("Adam", {"lr": 0.01, "weight_decay": 0.1, "amsgrad": True}),
        ("AdamW", {"lr": 0.01}),
    ],
)
def test_ten_steps_of_training(optimizer, options):
    def program(library):
        net = network(library)()
        steps = getattr(library.optim, optimizer)(net.parameters(), **options)
        yield steps
        x, target = library.randn(5, 3), library.tensor([0, 3, 1, 1, 2])
        for _ in range(10):
            loss = library.nn.CrossEntropyLoss()(net(x), target)
            steps.zero_grad()
            loss.backward()
            steps.step()
            yield loss.detach()
        for parameter in net.parameters():
            yield parameter.detach()
        yield [sorted(state) for state in steps.state_dict()["state"].values()]

    same(program)


def test_an_optimizer_continues_from_its_saved_state():
    def program(library):
        w = library.tensor([1.0, -2.0], requires_grad=True)
        steps = library.optim.Adam([w], lr=0.1)
        for turn in range(6):
            if turn == 3:
                saved = copy.deepcopy(steps.state_dict())
                steps = library.optim.Adam([w], lr=0.5)
                steps.load_state_dict(saved)
            (w**2).sum().backward()
            steps.step()
            yield w.detach()
        yield steps.param_groups[0]["lr"]

    same(program)


def test_modes_walks_and_gradients():
    def program(library):
        net = network(library)()
        yield [name for name, _ in net.named_modules()], [name for name, _ in net.named_children()]
        yield [name for name, _ in net.named_buffers()], len(list(net.parameters())), net.training
        yield net.eval().hidden[2].training
        x = library.randn(2, 3)
        yield net(x).detach()
        yield net.train()(x).detach()
        net(x).sum().backward()
        yield net.scale.grad
        net.zero_grad()
        yield net.scale.grad
        yield copy.deepcopy(net).out.weight.detach()
        yield net.double()(x.double()).dtype
        yield library.nn.Sequential(
            library.nn.Flatten(), library.nn.ReLU(), library.nn.GELU(), library.nn.Softmax(dim=1)
        )
        yield library.nn.ModuleList([library.nn.Linear(2, 3), library.nn.LeakyReLU(0.1)])

    same(program)


def test_errors():
    def program(library):
        net = network(library)()

        class Forgot(library.nn.Module):
            def __init__(self):
                self.layer = library.nn.Linear(1, 1)

        yield failure(Forgot)
        yield failure(lambda: net.missing)
        yield failure(lambda: library.nn.Module()(1))
        yield failure(lambda: setattr(net, "scale", library.ones(1)))
        yield failure(lambda: net.load_state_dict({"scale": library.ones(2), "other": library.ones(1)}))
        yield failure(lambda: net(library.randn(2, 4)))
        yield failure(lambda: library.optim.SGD([], lr=1))
        yield failure(lambda: library.optim.SGD(library.ones(1), lr=1))
        yield failure(lambda: library.optim.SGD([1], lr=1))
        yield failure(lambda: library.optim.SGD([library.ones(1)], lr=-1))
        yield failure(lambda: library.optim.SGD([net.scale * 2], lr=1))
        yield failure(lambda: library.optim.Adam([net.scale], betas=(1.0, 0.9)))
        yield failure(lambda: library.nn.Dropout(2))

    same(program)


def test_state_dict_goes_into_another_network():
    net, other = network(minigrad)(), network(minigrad)()
    assert repr(other.load_state_dict(net.state_dict())) == "<All keys matched successfully>"
    assert other.out.weight.tolist() == net.out.weight.tolist()
    again = pickle.loads(pickle.dumps(net.hidden))
    assert again[0].weight.tolist() == net.hidden[0].weight.tolist()


def test_binary_cross_entropy():
    """Its second derivative is left out: PyTorch adds 1e-12 to the denominators."""

    def program(library):
        p = library.tensor([0.0625, 0.5, 0.999, 0.25], requires_grad=True)
        target = library.tensor([0.0, 1.0, 1.0, 0.3])
        for reduction in ("none", "mean", "sum"):
            loss = library.nn.BCELoss(weight=library.tensor([1.0, 2.0, 0.5, 1.0]), reduction=reduction)(p, target)
            yield loss
            yield library.autograd.grad(loss.sum(), p)[0]
        yield library.nn.BCEWithLogitsLoss(pos_weight=library.tensor(3.0))(p, target)

    same(program)


def test_random_numbers_written_in_place():
    def program(library):
        for dtype in (library.float32, library.float64):
            x = library.zeros(3, 7, dtype=dtype)
            yield x.uniform_(-2, 3).clone()
            yield x.normal_(1, 2).clone()
            yield x.bernoulli_(0.3).clone()
            yield x.random_(10).clone()
            yield x.random_(3, 5).clone()
            yield library.nn.functional.dropout(x, 0.4)
            yield library.bernoulli(library.full((4,), 0.5, dtype=dtype))
            yield library.rand(1, dtype=dtype)

    same(program)
