"""Modules, losses and optimizers: a program gives the same text and numbers under minigrad and under PyTorch."""

import copy
import importlib
import inspect
import pickle
import warnings

import pytest

from tests.core.parity import renamed

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
            assert renamed(str(one)) == renamed(str(other))


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
        ("RMSprop", {}),
        ("RMSprop", {"centered": True, "momentum": 0.5, "weight_decay": 0.1}),
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


@pytest.mark.parametrize("places", [(4,), (2, 3), (2, 1, 3)])
def test_classes_of_images_and_sequences(places):
    """Each place counts as a sample, as for a language model (N, classes, length), and pixels with labels."""

    def program(library):
        functional = library.nn.functional
        x = library.randn((2, 3, *places), requires_grad=True)
        target = library.randint(3, (2, *places))
        weight = library.tensor([0.5, 1.0, 2.0])
        ignored = library.where(target == 2, library.tensor(-100), target)
        chances = functional.softmax(library.randn((2, 3, *places)), 1)
        for reduction in ("none", "mean", "sum"):
            for to in (target, ignored, chances):
                for weights in (None, weight):
                    loss = functional.cross_entropy(x, to, weights, reduction=reduction)
                    (grad,) = library.autograd.grad(loss.sum(), x, create_graph=True)
                    yield from (loss.detach(), grad.detach(), library.autograd.grad((grad * grad).sum(), x)[0])
            yield functional.nll_loss(x.transpose(0, 1).contiguous().transpose(0, 1), target, reduction=reduction)
        for size in ((2, *places, 1), (3, *places)) if len(places) != 2 else ():  # of images PyTorch has other words
            yield failure(lambda size=size: functional.cross_entropy(x, library.zeros(size, dtype=library.long)))

    same(program)


def test_binary_cross_entropy():
    """Its second derivative too, also where a probability is nearly or just 0."""

    def program(library):
        p = library.tensor([0.0625, 0.5, 0.999, 0.25, 0.0, 1e-4], requires_grad=True)
        target = library.tensor([0.0, 1.0, 1.0, 0.3, 0.0, 1.0])
        for reduction in ("none", "mean", "sum"):
            weight = library.tensor([1.0, 2.0, 0.5, 1.0, 1.0, 1.0])
            loss = library.nn.BCELoss(weight=weight, reduction=reduction)(p, target)
            yield loss
            slope = library.autograd.grad(loss.sum(), p, create_graph=True)[0]
            yield slope
            yield library.autograd.grad(slope.sum(), p)[0]
        yield library.nn.BCEWithLogitsLoss(pos_weight=library.tensor(3.0))(p, target)

    same(program)


def test_random_numbers_written_in_place():
    def program(library):
        for dtype in (library.float32, library.float64):
            x = library.zeros(3, 7, dtype=dtype)
            yield x.uniform_(-2, 3).clone()
            yield x.normal_(1, 2).clone()
            yield library.nn.functional.dropout(x, 0.4)
            yield library.rand(1, dtype=dtype)

    same(program)


def every_module(library):
    """Modules with the options that change how they print."""
    nn = library.nn
    return [
        nn.ModuleList(), nn.Sequential(),
        nn.ModuleList([nn.Linear(1, 2), nn.Linear(1, 2), nn.ReLU()]),
        nn.Sequential(nn.Linear(2, 3), nn.ModuleList([nn.Tanh()] * 3)),
        nn.ModuleDict(), nn.ModuleDict({"b": nn.ReLU(), "a": nn.Sequential(nn.Linear(1, 2), nn.Dropout2d(0.2, True))}),
        nn.ParameterList(), nn.ParameterDict(),
        nn.BatchNorm1d(3), nn.BatchNorm2d(3, affine=False), nn.LayerNorm(3),
        nn.LayerNorm((2, 3), elementwise_affine=False),
        nn.LayerNorm(3, bias=False), nn.Embedding(3, 2), nn.Unflatten(1, (2, 3)),
        nn.ReLU(True), nn.ELU(), nn.ELU(0.5, True), nn.SELU(), nn.Hardtanh(), nn.Hardtanh(-2, 2),
        nn.Softmax(1), nn.LogSoftmax(dim=-1), nn.Softplus(), nn.GELU(), nn.GELU("tanh"), nn.LeakyReLU(),
        nn.LeakyReLU(0.2, True), nn.SiLU(), nn.Dropout(), nn.Flatten(), nn.Identity(),
        nn.Linear(2, 3, bias=False),
    ]  # fmt: skip


def test_every_module_prints_and_saves_alike():
    def program(library):
        for module in every_module(library):
            yield module
            yield list(module.state_dict())

    same(program)


def test_parameters_and_modules_in_lists_and_dictionaries():
    def program(library):
        nn = library.nn

        def parameter(*size):
            return nn.Parameter(library.ones(size))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.ws = nn.ParameterList([parameter(2, 2) for _ in range(3)])
                self.by_name = nn.ParameterDict({"b": parameter(4), "w": parameter(4, 4)})
                self.layers = nn.ModuleDict({"lin": nn.Linear(1, 2), "act": nn.ReLU()})

        net = Net()
        yield from (net, nn.ParameterList([parameter()]), list(net.state_dict()))
        yield [name for name, _ in net.named_parameters()], len(list(net.parameters()))
        ws, by_name, layers = net.ws, net.by_name, net.layers
        yield ws.append(library.zeros(3)) is ws, ws.extend([parameter(1), parameter(5)]) is ws, len(ws), ws[1:5:2]
        yield ws[-1], type(ws[3]).__name__, ws[3].requires_grad, [tuple(w.shape) for w in ws], ws[0] in ws
        ws[0] = library.zeros(7)
        ws += [parameter(8)]
        yield ws
        yield from (failure(lambda: ws[9]), failure(lambda: ws.extend(library.ones(2))), failure(lambda: ws.extend(3)))
        by_name.update({"y": library.ones(2), "z": parameter(1)})
        by_name.update([("k", parameter(2)), ("j", parameter(3))])
        by_name.update(nn.ParameterDict({"i": parameter(1)}))
        yield list(by_name), list(by_name.keys()), len(by_name), "z" in by_name, "q" in by_name, by_name.get("q")
        yield by_name.pop("z"), by_name["y"], by_name.y is by_name["y"], [tuple(p.shape) for p in by_name.values()]
        del by_name["y"]
        yield by_name, [name for name, _ in by_name.items()], failure(lambda: by_name.__delitem__("y"))
        yield from (failure(lambda name=name: nn.ParameterDict({name: ws[0]})) for name in ("a.b", "pop", ""))
        layers["out"] = nn.Tanh()
        layers.update({"c": nn.Sigmoid(), "b": nn.ReLU()})
        layers.update([("a", nn.ReLU())])
        yield layers, layers["act"], layers.lin is layers["lin"], list(layers), list(layers.keys()), "b" in layers
        yield layers.pop("c"), len(layers), [*layers.values()], [name for name, _ in layers.items()]
        yield layers["lin"](library.ones(1)).shape, failure(lambda: layers["no"]), failure(lambda: layers.pop("no"))
        yield failure(lambda: layers.__setitem__("x", 3)), failure(lambda: layers.__setitem__("keys", nn.ReLU()))
        del layers["b"]
        for each in (by_name, layers):
            each.clear()
            yield each, len(each), list(net.state_dict())
        again = copy.deepcopy(net)
        yield again, again.ws[0] is net.ws[0], again.load_state_dict(net.state_dict())

    same(program)


def test_whole_channels_are_dropped():
    def program(library):
        for size in ((2, 3, 2, 2), (2, 3), (1, 2, 0, 2)):
            x = library.ones(size, requires_grad=True)
            module = library.nn.Dropout2d(0.4)
            y = module(x)
            y.sum().backward()
            yield from (y.detach(), x.grad, module.eval()(x) is x, isinstance(module, library.nn.Dropout))
        yield failure(lambda: library.nn.Dropout2d(2))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, of what is no image
        same(program)


def test_a_module_that_applies_a_function_is_a_class_like_any_other():
    nn = minigrad.nn
    shown = [str(inspect.signature(made)).replace("'", "") for made in (nn.ELU, nn.NLLLoss)]
    assert shown == [
        "(alpha: float = 1.0, inplace: bool = False)",
        "(weight: Tensor | None = None, *, ignore_index: int = -100, reduction: str = mean)",
    ]
    assert nn.ELU.__doc__ == nn.functional.elu.__doc__

    class Steep(nn.LeakyReLU):
        steps: int  # an annotation of the user's is no option

        def __init__(self, steps):
            super().__init__(1 / steps)
            self.steps = steps

    assert (repr(Steep(4)), str(inspect.signature(Steep))) == ("Steep(negative_slope=0.25)", "(steps)")
    loss = pickle.loads(pickle.dumps(copy.deepcopy(nn.CrossEntropyLoss(minigrad.ones(2)))))
    assert list(loss.state_dict()) == ["weight"]
    for wrong in (lambda: nn.MSELoss(size_average=False), lambda: nn.ELU(1.0, False, 3), nn.MaxPool2d):
        with pytest.raises(TypeError, match="__init__"):
            wrong()


ACTIVATIONS = [
    "Sigmoid", "Tanh", "ReLU", "SiLU", "SELU", "ELU", "LeakyReLU", "Hardtanh", "Softplus", "GELU",
    "Softmax", "LogSoftmax",
]  # fmt: skip


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations(name):
    def program(library):
        x = library.linspace(-4, 4, 12).reshape(2, 6).requires_grad_()
        module = getattr(library.nn, name)(*([1] if name in ("Softmax", "LogSoftmax") else []))
        y = module(x)
        y.square().sum().backward()
        yield from (y.detach(), x.grad, *(p.grad for p in module.parameters()))

    same(program)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_second_derivative_of_an_activation_at_its_bends_and_far_out(name):
    assert_same_second_derivative(name, [1] if "Softmax" in name else [])


@pytest.mark.parametrize("name", ["MSELoss", "CrossEntropyLoss"])
def test_second_derivative_of_a_loss_at_its_bends(name):
    """The prediction is just 1 from the target at some places, and one class is ignored."""
    assert_same_second_derivative(name, [], [[0, -100]] if name == "CrossEntropyLoss" else [[[1.0] * 6, [-1.0] * 6]])


def assert_same_second_derivative(name, options, targets=()):
    def program(library):
        x = library.tensor([[-20.0, -3.0, -1.0, -0.5, 0.0, 0.25], [0.5, 1.0, 3.0, 6.0, 20.0, -6.0]], requires_grad=True)
        module = getattr(library.nn, name)(*options)
        leaves = [x, *module.parameters()]
        y = module(x, *map(library.tensor, targets))
        upstream = library.linspace(1, 2, y.numel()).reshape(y.shape)  # needs no gradient itself
        for slope in library.autograd.grad(y, leaves, upstream, create_graph=True):
            yield slope.detach()
            yield slope.requires_grad
            if slope.requires_grad:
                weights = library.linspace(-1, 2, slope.numel()).reshape(slope.shape)
                yield from library.autograd.grad(slope, leaves, weights, retain_graph=True, allow_unused=True)

    same(program)


def test_normalization_while_training_and_after():
    def program(library):
        for module, size in (
            (library.nn.BatchNorm1d(3), (5, 3)),
            (library.nn.BatchNorm1d(3, momentum=None), (5, 3, 2)),
            (library.nn.BatchNorm2d(3, track_running_stats=False), (2, 3, 4, 4)),
            (library.nn.LayerNorm((3, 2)), (4, 3, 2)),
        ):
            for step in range(4):
                module.train(step < 2)
                x = library.randn(*size, requires_grad=True)
                y = module(x)
                (y * y * y).sum().backward()
                yield from (y.detach(), x.grad, *(p.grad for p in module.parameters()), *module.buffers())

    same(program)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("int, or a tuple of two ints", "F.max_pool2d(x, (2, 2, 2))"),
        (None, "F.adaptive_avg_pool2d(x, (1, 2, 3))"),
        (None, "F.max_pool2d(x, 2, -1)"),
        (None, "F.max_pool2d(x, 2, padding=-1)"),
        (None, "F.avg_pool2d(x, 2, padding=-1)"),
        (None, "F.max_pool2d(x, 2, dilation=0)"),
        ("'weight' must be 2-D", "F.embedding(torch.tensor([0]), torch.ones(3))"),
        ("running_mean must be defined in evaluation mode", "F.batch_norm(x, None, None)"),
        ("Expected bias to be of same shape", "F.layer_norm(x, (4,), bias=torch.ones(1))"),
        ("Mode avg not supported", "nn.init.kaiming_normal_(torch.ones(2, 2), mode='avg')"),
    ],
)
def test_what_makes_no_sense_is_refused(words, call):
    for library in (minigrad, torch):
        names = {"torch": library, "nn": library.nn, "F": library.nn.functional, "x": library.ones(1, 2, 4, 4)}
        with pytest.raises((RuntimeError, ValueError), match=words):
            eval(call, names)


@pytest.mark.parametrize("options", ["batchsize=2", "batch_size=2.5"])
def test_options_of_a_loader_that_do_not_exist_or_go_together_are_refused(options):
    importlib.import_module("minigrad.utils.data")

    def program(library):
        said = failure(lambda: eval(f"loader([1, 2], {options})", {"loader": library.utils.data.DataLoader}))
        yield said.removesuffix(". Did you mean 'batch_size'?")  # which Python guesses since 3.13, and ours forestalls

    same(program)


def test_hooks_of_modules():
    def program(library):
        layer = library.nn.Linear(2, 2)
        seen = []
        handle = layer.register_forward_hook(lambda module, args, output: seen.append((len(args), tuple(output.shape))))
        layer.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        yield layer(library.ones(1, 2)).detach()
        handle.remove()
        layer(library.ones(1, 2))
        yield seen

    same(program)


SCHEDULES = {
    "StepLR": lambda module, optimizer: module.StepLR(optimizer, 3, 0.5),
    "ExponentialLR": lambda module, optimizer: module.ExponentialLR(optimizer, 0.9),
    "CosineAnnealingLR": lambda module, optimizer: module.CosineAnnealingLR(optimizer, 5, 0.001),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name):
    def program(library):
        w, b = library.randn(3, 2, requires_grad=True), library.zeros(2, requires_grad=True)
        x, y = library.randn(5, 3), library.randn(5, 2)
        optimizer = library.optim.SGD([{"params": [w]}, {"params": [b], "lr": 0.05}], lr=0.1)
        scheduler = SCHEDULES[name](library.optim.lr_scheduler, optimizer)
        rates = []
        for _ in range(12):
            optimizer.zero_grad()
            loss = ((x @ w + b - y) ** 2).mean()
            loss.backward()
            optimizer.step()
            scheduler.step()
            rates += scheduler.get_last_lr()
        yield library.tensor(rates)
        yield w.detach()
        yield optimizer

    same(program)


# o: the optimizer steps; a, b: a schedule is made; A, B: it steps.
@pytest.mark.parametrize("order", ["aoA", "aAoA", "oaA", "aoAbB", "aobBA", "abBoA", "oabAB", "aAbB", "aoaA"])
def test_a_schedule_before_the_first_step_warns(order):
    def program(library):
        w = library.ones(1, requires_grad=True)
        w.sum().backward()
        optimizer, schedules = library.optim.SGD([w], lr=0.1), {}
        for what in order:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                if what in "ab":
                    schedules[what] = library.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
                else:
                    (optimizer if what == "o" else schedules[what.lower()]).step()
            yield what, [str(warning.message) for warning in caught]

    same(program)


def test_an_optimizer_of_pytorchs_parameters_says_whose_they_are():
    reference = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    with pytest.raises(TypeError) as caught:
        minigrad.optim.SGD(reference.nn.Linear(1, 1).parameters(), lr=0.1)
    assert "the real PyTorch" in caught.value.__notes__[0]


def test_clipping():
    def program(library):
        layer = library.nn.Linear(3, 2)
        (layer(library.ones(2, 3)) ** 2).sum().backward()
        yield library.nn.utils.clip_grad_norm_(layer.parameters(), 0.5)
        yield layer.weight.grad
        yield library.nn.utils.clip_grad_norm_(layer.parameters(), 0.1, norm_type=float("inf"))
        library.nn.utils.clip_grad_value_(layer.parameters(), 0.05)
        yield layer.weight.grad

    same(program)


def test_an_optimizer_of_ones_own_needs_none_of_the_options():
    def program(library):
        class Plain(library.optim.Optimizer):
            def __init__(self, params, lr):
                super().__init__(params, {"lr": lr})

            @library.no_grad()
            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        p -= group["lr"] * p.grad

        w = library.tensor([1.0, -2.0], requires_grad=True)
        steps = Plain([w], lr=0.1)
        rates = library.optim.lr_scheduler.StepLR(steps, 2)
        for _ in range(4):
            steps.zero_grad()
            (w**2).sum().backward()
            steps.step()
            rates.step()
            yield w.detach().clone()
        yield steps
        yield failure(library.optim.Optimizer([w], {}).step)

    same(program)
