"""Hooks of modules: each program logs what its hooks were called with, and both libraries must log the same."""

import copy
import importlib
import warnings

import pytest

from tests.core.parity import first_line, graph, renamed

torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
minigrad = importlib.import_module("minigrad")

# Before each program: `layer` with numbers for weights, `log` for what is seen, `hook(name, …)` that logs and returns.
PREPARE = """
from collections import namedtuple
torch.manual_seed(0)
nn = torch.nn
log = []
def hook(name, answer=None):
    def called(module, *given):
        log.append((name, type(module).__name__, *given))
        return answer(*given) if callable(answer) else answer
    return called
layer = nn.Linear(3, 2)
x = torch.tensor([[1.0, -2.0, 0.5]], requires_grad=True)
y = torch.tensor([[1.0, 2.0, 3.0]])
class Scale(nn.Module):
    def forward(self, x, k=2.0, *, add=0):
        if k == 0:
            raise ValueError("k is 0")
        return x * k + add
class Two(nn.Module):
    def forward(self, a, b=None, c=None):
        return a * 2, (a + b if torch.is_tensor(b) else b), c
class Writes(nn.Module):
    def forward(self, x):
        return x.mul_(2)
def backward(out):
    out.sum().backward()
"""

PROGRAMS = {
    "forward": """
        layer.register_forward_hook(hook("after")); layer.register_forward_pre_hook(hook("before"))
        backward(layer(x))
        """,
    "forward replaced": """
        layer.register_forward_pre_hook(hook("before", lambda args: args[0] * 2))
        layer.register_forward_hook(hook("after", lambda args, out: out + 1))
        out = layer(x)
        """,
    "removed": """
        handles = [layer.register_forward_hook(hook("f")), layer.register_forward_pre_hook(hook("p")),
            layer.register_full_backward_hook(hook("b"))]
        out = layer(x)
        for handle in handles: handle.remove()
        backward(out); out = layer(x); backward(out)
        log.append([len(getattr(layer, n)) for n in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")])
        """,
    "cleared": "layer.register_forward_hook(hook('f')); layer._forward_hooks.clear(); out = layer(x)",
    "as a context": """
        with layer.register_forward_hook(hook("f")): layer(x)
        out = layer(x)
        """,
    "full backward": "layer.register_full_backward_hook(hook('b')); out = layer(x); backward(out)",
    "full backward twice": """
        layer.register_full_backward_hook(hook("b"))
        out = layer(x); out.sum().backward(retain_graph=True); out.sum().backward(); backward(layer(x))
        """,
    "full backward through nothing that needs a gradient": """
        layer.register_full_backward_hook(hook("b")); out = layer(y); backward(out)
        """,
    "full backward through nothing, answered": """
        layer.register_full_backward_hook(hook("b", lambda gi, go: (torch.zeros(1),))); out = layer(y); backward(out)
        """,
    "full backward of nothing": """
        layer.register_full_backward_hook(hook("b")); layer.requires_grad_(False); out = layer(y)
        """,
    "without recording": """
        layer.register_full_backward_hook(hook("b"))
        with torch.no_grad(): out = layer(x)
        """,
    "grad_input replaced": """
        layer.register_full_backward_hook(hook("b", lambda gi, go: (gi[0] * 0 + 7,)))
        layer.register_full_backward_hook(hook("then"))
        out = layer(x); backward(out)
        """,
    "grad_input of a wrong number": """
        layer.register_full_backward_hook(hook("b", lambda gi, go: (gi[0], gi[0]))); backward(layer(x))
        """,
    "grad_input of a wrong size": """
        layer.register_full_backward_hook(hook("b", lambda gi, go: (torch.ones(2),))); backward(layer(x))
        """,
    "grad_input not a tuple": """
        layer.register_full_backward_hook(hook("b", lambda gi, go: gi[0] * 2)); backward(layer(x))
        """,
    "several": """
        module = Two(); module.register_full_backward_hook(hook("b"))
        out, second, third = module(x, y, "text"); (out + second).sum().backward()
        """,
    "several, one unused": """
        module = Two(); module.register_full_backward_hook(hook("b"))
        out, second, third = module(x, x * 2, c=5); backward(second)
        """,
    "several, keyword arguments": """
        module = Two(); module.register_full_backward_hook(hook("b"))
        out, second, third = module(x, b=x * 2); (out * second).sum().backward()
        """,
    "several with integers": """
        module = Two(); module.register_full_backward_hook(hook("b"))
        out, second, third = module(x, torch.tensor([1, 2, 3]), torch.tensor([1])); (out * second).sum().backward()
        """,
    "a named tuple": """
        Pair = namedtuple("Pair", "first second")
        class Named(nn.Module):
            def forward(self, x): return Pair(x * 2, x + 1)
        module = Named(); module.register_full_backward_hook(hook("b"))
        pair = module(x); log.append(type(pair).__name__); out = pair.first; (out * pair.second).sum().backward()
        """,
    "a list": """
        class Listed(nn.Module):
            def forward(self, x): return [x * 2]
        module = Listed(); module.register_full_backward_hook(hook("b"))
        out = module(x)[0]; backward(out)
        """,
    "not a tensor": """
        class Text(nn.Module):
            def forward(self, x): return "text"
        module = Text(); module.register_full_backward_hook(hook("b")); log.append(module(x))
        """,
    "nested": """
        net = nn.Sequential(layer, nn.ReLU(), nn.Linear(2, 1))
        for module in net.modules(): module.register_full_backward_hook(hook("b"))
        out = net(x); backward(out)
        """,
    "a write in place inside": """
        module = Writes(); module.register_full_backward_hook(hook("b")); out = module(x * 1)
        """,
    "a write in place outside": """
        layer.register_full_backward_hook(hook("b")); out = layer(x); out += 1
        """,
    "relu in place": """
        net = nn.Sequential(layer, nn.ReLU(inplace=True)); layer.register_full_backward_hook(hook("b")); out = net(x)
        """,
    "second derivative": """
        module = Scale(); module.register_full_backward_hook(hook("b")); out = module(x) ** 3
        (g,) = torch.autograd.grad(out.sum(), x, create_graph=True); log.append(g); backward(g)
        """,
    "of inputs only": """
        layer.register_full_backward_hook(hook("b")); out = layer(x)
        log.append(torch.autograd.grad(out.sum(), x)); log.append(torch.autograd.grad(layer(x).sum(), layer.weight))
        """,
    "copied": """
        layer.register_forward_hook(hook("f")); layer.register_full_backward_hook(hook("b"))
        again = copy.deepcopy(layer); layer._forward_hooks.clear(); out = again(x); backward(out)
        """,
    "without super().__init__()": """
        class Bare(nn.Module):
            def __init__(self): pass
            def forward(self, x): return x
        Bare()(x)
        """,
    "positional prepend": "layer.register_forward_hook(hook('f'), True)",
    "grad-cam": """
        net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)); seen = {}
        net[1].register_forward_hook(lambda m, i, o: seen.update(activation=o.detach()))
        net[1].register_full_backward_hook(lambda m, gi, go: seen.update(gradient=go[0].detach()))
        out = net(x); out[0, 1].backward(); log.append((seen["activation"] * seen["gradient"]).mean(0))
        """,
}


def seen(library, program):
    """What the program logged, its warnings and its error, the graph it left and the gradients."""
    variables = {"torch": library, "copy": copy}
    lines = [line[8:] if line.startswith(" " * 8) else line for line in program.splitlines()]
    error = None
    exec(PREPARE, variables)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec("\n".join(lines), variables)
        except Exception as raised:
            error = first_line(raised)
    out, x, layer = variables.get("out"), variables["x"], variables["layer"]
    names = {id(x): "x", id(layer.weight): "weight", id(layer.bias): "bias"}
    made = graph([out.grad_fn], names) if library.is_tensor(out) else []
    grads = [shown(library, t.grad) for t in (x, layer.weight, layer.bias)]
    said = [(w.category.__name__, renamed(str(w.message))) for w in warned]
    return {"log": shown(library, variables["log"]), "error": error, "graph": made, "grads": grads, "warned": said}


def shown(library, value):
    if isinstance(value, tuple | list):
        return [shown(library, v) for v in value]
    if library.is_tensor(value):
        rounded = [round(number, 4) + 0.0 for number in value.detach().double().flatten().tolist()]
        return f"{renamed(str(value.dtype))} {tuple(value.shape)} {rounded} tracked={value.requires_grad}"
    return repr(value)


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_hooks_like_pytorch(program):
    assert seen(minigrad, program) == seen(torch, program)
