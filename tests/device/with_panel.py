"""The same programs with the live panel and without: `python -m tests.device.with_panel --device cuda`.

Tells, program by program, whether both printed the same, failed with the same message and left as much of the GPU's
memory behind; and what the panel said of the last pass. Needs IPython and what `viz` needs; with PyTorch half a minute
on a GPU that has compiled nothing yet. Without a GPU, `--device cpu` leaves out what only a GPU has.
"""

import argparse
import contextlib
import gc
import importlib
import io
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import viz
from tests.shells import notebook_shell

SETUP = """
        nn, F, D = torch.nn, torch.nn.functional, {device!r}
        seeded = torch.manual_seed(0)"""
#: Programs of minigrad and of PyTorch.
BOTH = {
    "the notes' line": """
        w = torch.tensor(2., requires_grad=True, device=D)
        l = (w * torch.tensor(3., device=D) + 1) ** 2
        l.backward()
        print(w.grad.item())""",
    "a classifier": """
        net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to(D)
        l = F.cross_entropy(net(torch.randn(5, 4, device=D)), torch.tensor([0, 1, 0, 1, 1], device=D))
        l.backward()
        print(l.item(), net[0].weight.grad.sum().item())""",
    "a convolution": """
        layers = nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten()
        net = nn.Sequential(*layers, nn.Linear(64, 3)).to(D)
        l = net(torch.randn(2, 1, 8, 8, device=D)).pow(2).mean()
        l.backward()
        print(l.item())""",
    "dropout": """
        net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.5), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 1)).to(D)
        l = net(torch.randn(5, 4, device=D)).sum()
        l.backward()
        print(net[0].weight.grad.shape)""",
    "an embedding": """
        e = nn.Embedding(10, 4).to(D)
        l = e(torch.tensor([1, 2, 1], device=D)).pow(2).sum()
        l.backward()
        print(e.weight.grad.sum().item())""",
    "a loop": """
        w = torch.zeros(3, 1, device=D, requires_grad=True)
        X = torch.randn(20, 3, device=D)
        Y = X @ torch.tensor([[1.], [2.], [3.]], device=D)
        for i in range(300):
            l = ((X @ w - Y) ** 2).mean()
            l.backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
                w.grad = None
        print(w.tolist())""",
    "a second derivative": """
        w = torch.tensor(2., device=D, requires_grad=True)
        g, = torch.autograd.grad(w ** 3, w, create_graph=True)
        h, = torch.autograd.grad(g, w)
        print(h.item())""",
    "two devices": """
        w = torch.tensor(2., requires_grad=True)
        y = (w.to(D) * torch.tensor([3.], device=D)).cpu()
        (y ** 2).sum().backward()
        print(w.grad)""",
    "four million numbers": """
        a = torch.randn(2000, 2000, device=D, requires_grad=True)
        (a @ a).relu().mean().backward()
        print(a.grad.shape)""",
    "no finite gradient": """
        w = torch.tensor([0., 1.], device=D, requires_grad=True)
        w.sqrt().sum().backward()
        print(w.grad)""",
    "a write that backward refuses": """
        w = torch.randn(3, device=D, requires_grad=True)
        y = w.exp()
        z = y * y
        y += 1
        z.sum().backward()""",
    "backward twice": """
        w = torch.tensor(2., device=D, requires_grad=True)
        l = w ** 2
        l.backward()
        l.backward()""",
    "devices that do not fit": """
        w = torch.randn(3, requires_grad=True)
        print((w * torch.randn(3, device=D)).shape)""",
}
#: Programs of PyTorch.
TORCH = {
    "an LSTM": """
        o, (h, c) = nn.LSTM(3, 5, 2, batch_first=True).to(D)(torch.randn(2, 4, 3, device=D))
        (o.sum() + h.mean()).backward()
        print(o.sum().item())""",
    "a GRU": """
        o, h = nn.GRU(3, 5).to(D)(torch.randn(4, 2, 3, device=D))
        o.pow(2).sum().backward()
        print(h.sum().item())""",
    "a transformer": """
        layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, dropout=0.)
        net = nn.TransformerEncoder(layer, 2).to(D)
        l = net(torch.randn(2, 5, 16, device=D)).pow(2).mean()
        l.backward()
        print(l.item())""",
    "attention": """
        q, k = (torch.randn(1, 2, 6, 8, device=D, requires_grad=True) for _ in range(2))
        F.scaled_dot_product_attention(q, k, k, is_causal=True).sum().backward()
        print(k.grad.sum().item())""",
    "attention in half precision": """
        q = torch.randn(1, 2, 64, 64, device=D, dtype=torch.float16, requires_grad=True)
        F.scaled_dot_product_attention(q, q, q).float().pow(2).sum().backward()
        print(q.grad.sum().item())""",
    "mixed precision": """
        net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(D)
        update, scaler = torch.optim.SGD(net.parameters(), lr=0.1), torch.amp.GradScaler(D)
        for _ in range(5):
            with torch.autocast(D, dtype=torch.float16):
                l = net(torch.randn(5, 4, device=D)).pow(2).mean()
            update.zero_grad()
            scaler.scale(l).backward()
            scaler.step(update)
            scaler.update()
        print(scaler.get_scale(), l.item())""",
    "what was chosen": """
        x = torch.randn(4, 3, device=D, requires_grad=True)
        one = x.gather(1, torch.tensor([[0], [1], [2], [0]], device=D)).prod()
        l = one + x[x > 0].sum() + x.max() + x.median()
        l.backward()
        print(x.grad.sum().item())""",
    "linear algebra": """
        a = torch.randn(3, 3, device=D, dtype=torch.float64, requires_grad=True)
        s, i = a @ a.T + torch.eye(3, device=D), torch.linalg
        (i.inv(s).sum() + i.det(s) + i.eigvalsh(s).sum() + i.svd(a).S.sum()).backward()
        print(round(a.grad.sum().item(), 6))""",
    "sixteen bits": """
        a = torch.randn(20, device=D, dtype=torch.bfloat16, requires_grad=True)
        (a.exp() * a).sum().backward()
        print(a.grad.dtype)""",
    "a sparse product": """
        v = torch.tensor([1., 2.], device=D, requires_grad=True)
        sparse = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]], device=D), v, (2, 2), check_invariants=True)
        torch.sparse.mm(sparse, torch.ones(2, 2, device=D)).sum().backward()
        print(v.grad)""",
    "anomaly detection": """
        w = torch.tensor([0.], device=D, requires_grad=True)
        with torch.autograd.detect_anomaly():
            (w.sqrt() * 0).sum().backward()""",
    "a checkpoint": """
        from torch.utils.checkpoint import checkpoint
        net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).to(D)
        x = torch.randn(5, 4, device=D, requires_grad=True)
        checkpoint(net, x, use_reentrant=False).sum().backward()
        print(x.grad.shape)""",
    "saved on the CPU": """
        with torch.autograd.graph.save_on_cpu():
            a = torch.randn(20, device=D, requires_grad=True)
            l = (a * a).sum()
        l.backward()
        print(torch.equal(a.grad, 2 * a))""",
    "deterministic": """
        torch.use_deterministic_algorithms(True, warn_only=True)
        x = torch.randn(3, 4, device=D, requires_grad=True)
        x.cumsum(1).pow(2).sum().backward()
        torch.use_deterministic_algorithms(False)
        print(x.grad.shape)""",
}
#: Programs of PyTorch that need a GPU.
ON_GPU = {
    "a second stream": """
        s = torch.cuda.Stream()
        w = torch.randn(100, device=D, requires_grad=True)
        s.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(s):
            (w * w).sum().backward()
        torch.cuda.current_stream().wait_stream(s)
        print(torch.equal(w.grad, 2 * w))""",
    "a CUDA graph": """
        net, x, s = nn.Linear(4, 1).to(D), torch.randn(5, 4, device=D), torch.cuda.Stream()
        s.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(s):
            for i in range(3):
                net.zero_grad(set_to_none=True)
                net(x).pow(2).mean().backward()
        torch.cuda.current_stream().wait_stream(s)
        net.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            l = net(x).pow(2).mean()
            l.backward()
        x.fill_(1.)
        graph.replay()
        print(l.item(), net.weight.grad.tolist())""",
    "a module as a CUDA graph": """
        net, x = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to(D), torch.randn(5, 4, device=D)
        net = torch.cuda.make_graphed_callables(net, (x,))
        for i in range(5):
            l = net(x).pow(2).mean()
            l.backward()
        print(l.item())""",
    "a compiled function": """
        f = torch.compile(lambda w, x: ((w * x).sin() + 1).sum())
        w, x = torch.randn(10, device=D, requires_grad=True), torch.randn(10, device=D)
        for i in range(3):
            f(w, x).backward()
        print(torch.allclose(w.grad, 3 * x * (w * x).cos(), atol=1e-4))""",
}


@dataclass
class Seen:
    """What a program printed, its error, and how much of the GPU's memory it left behind; what the panel said of it."""

    printed: str
    error: str
    left: int
    panel: str = ""

    def is_like(self, other: "Seen") -> bool:
        return (self.printed, self.error, self.left) == (other.printed, other.error, other.left)


def programs(library: str, device: str) -> dict[str, str]:
    """Those that run with this library on this device, by their names."""
    return BOTH | (TORCH | (ON_GPU if device == "cuda" else {}) if library == "torch" else {})


def seen(library: str, device: str, *, panel: bool) -> dict[str, Seen]:
    """Each program in one notebook, with nothing of the one before in it."""
    torch, found = importlib.import_module(library), {}
    with notebook_shell() as shell, contextlib.ExitStack() as ends:
        shell.user_ns.update(torch=torch)
        with contextlib.redirect_stdout(io.StringIO()):
            live = viz.live() if panel else None
        if live is not None:
            ends.callback(live.close)
        run(shell, SETUP.format(device=device))
        kept = {*shell.user_ns}
        for name, program in programs(library, device).items():
            run(shell, SETUP.format(device=device))
            before = memory(torch)
            found[name] = run(shell, program)
            found[name].panel = told(live) if live is not None else ""
            for variable in {*shell.user_ns} - kept:
                del shell.user_ns[variable]
            sys.last_value = sys.last_traceback = sys.last_exc = None
            if device == "cuda":
                gc.collect()
            found[name].left = memory(torch) - before
    return found


def run(shell: Any, program: str) -> Seen:
    """A program as a cell. What the panel shows when a cell that fails ends is printed after what the cell printed."""
    out = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        result = shell.run_cell("if True:" + program, store_history=True)
    error = result.error_before_exec or result.error_in_exec
    return Seen("" if error else out.getvalue().partition("\n")[0], f"{type(error).__name__}: {error}"[:300], 0)


def told(live: Any) -> str:
    """What the panel says of the last pass, in short."""
    steps, again = live.trace.get("steps", ()), live.trace.get("replayed")
    return f"{len(steps)} steps. {again['en'] if again else ''}"


def memory(torch: Any) -> int:
    """Bytes of the GPU that tensors hold, as far as the library tells."""
    return torch.cuda.memory_allocated() if hasattr(torch.cuda, "memory_allocated") and torch.cuda.is_available() else 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.device.with_panel", description=__doc__.partition("\n")[0])
    parser.add_argument("--library", default="torch", help="minigrad or torch")
    parser.add_argument("--device", default="cuda", help="cpu or cuda")
    options = parser.parse_args()
    seen(options.library, options.device, panel=False)  # what is compiled and kept once only belongs to neither
    without, with_ = (seen(options.library, options.device, panel=panel) for panel in (False, True))
    for name, one in without.items():
        other = with_[name]
        print(f"{'same' if one.is_like(other) else 'OTHERWISE'}: {name}: {other.printed or other.error}; {other.panel}")
        if not one.is_like(other):
            print(f"    without: {one}\n    with: {other}")


if __name__ == "__main__":
    main()
