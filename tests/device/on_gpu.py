"""Everything that only a GPU can prove, in one call: `python -m tests.device.on_gpu --out FOLDER`.

Needs cupy, PyTorch with CUDA, pytest and hypothesis; takes at most ten minutes. In this order:

1. how often the program waits for the GPU in 100 steps of training: in minigrad never;
2. minigrad on the GPU beside PyTorch on the GPU: every expression of tests/core/expressions.txt, float32 and float64;
3. the time of four pieces of work beside PyTorch on the same GPU;
4. tests/device, which on this machine use cupy itself: the core suite and the recorded programs.

Writes `gpu.json` and `gpu.md` into the folder after each part, so that a run that is cut short leaves what it has. With
`--stand-in` it runs without a GPU, on small sizes: that proves the script, not the path.
"""

import argparse
import contextlib
import datetime
import json
import platform
import re
import statistics
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import minigrad
from tests.device import machine, stand_in

ROOT = Path(__file__).parents[2]

# ---------------------------------------------------------------------------------------------------------------------
# The work: each a function of library, device and size, which prepares and returns one step; a step returns numbers.


def network(library: ModuleType, device: str, size: int) -> Callable[[], Any]:
    """One step of the notes' two-layer network: forward, backward, update."""
    x, y, w1, w2 = inputs(library, device, (64, size), (64, 10), (size, size // 10), (size // 10, 10))
    w1.mul_(0.1).requires_grad_()
    w2.mul_(0.1).requires_grad_()

    def step() -> Any:
        loss = (x.mm(w1).clamp(min=0).mm(w2) - y).pow(2).sum()
        loss.backward()
        with library.no_grad():
            w1.sub_(w1.grad, alpha=1e-7)
            w2.sub_(w2.grad, alpha=1e-7)
            w1.grad.zero_()
            w2.grad.zero_()
        return loss.detach()

    return step


def elementwise(library: ModuleType, device: str, size: int) -> Callable[[], Any]:
    """A chain of elementwise operations on a square matrix, forward and backward."""
    x, y = inputs(library, device, (size, size), (size, size))
    x.requires_grad_()

    def step() -> Any:
        x.grad = None
        z = ((x * y + x).sigmoid() * 0.5 - y).tanh() * x
        z.mean().backward()
        return x.grad

    return step


def product(library: ModuleType, device: str, size: int) -> Callable[[], Any]:
    """The product of two square matrices, forward and backward."""
    a, b = inputs(library, device, (size, size), (size, size))
    a.requires_grad_()
    b.requires_grad_()

    def step() -> Any:
        a.grad = b.grad = None
        (a @ b).mean().backward()
        return b.grad

    return step


def small(library: ModuleType, device: str, size: int) -> Callable[[], Any]:
    """A long chain of operations on ten numbers, forward and backward."""
    (x,) = inputs(library, device, (10,))
    x.requires_grad_()

    def step() -> Any:
        x.grad = None
        y = x
        for _ in range(size // 2):
            y = y * 1.01 + 0.01
        y.sum().backward()
        return x.grad

    return step


def inputs(library: ModuleType, device: str, *sizes: tuple[int, ...]) -> list[Any]:
    """The same random numbers for every library: the CPU's generator gives both the same."""
    library.manual_seed(0)
    return [library.randn(*size, device="cpu").to(device) for size in sizes]


#: Name: the work, its size, its size with --stand-in, how many steps are one sample, the ratio not to be exceeded.
WORK: dict[str, tuple[Any, int, int, int, float | None]] = {
    "the notes' network, one step": (network, 1000, 20, 50, None),
    "elementwise chain, 4096 × 4096, forward and backward": (elementwise, 4096, 8, 10, 1.5),
    "matrix product, 4096 × 4096, forward and backward": (product, 4096, 8, 10, 1.1),
    "200 operations on ten numbers, forward and backward": (small, 200, 8, 10, 2.0),
}

# ---------------------------------------------------------------------------------------------------------------------
# 1. Waits


def optimizer(library: ModuleType, device: str, name: str) -> Callable[[], Any]:
    """One step of a classifier with an optimizer."""
    library.manual_seed(0)
    model = library.nn.Sequential(library.nn.Linear(20, 32), library.nn.ReLU(), library.nn.Linear(32, 4)).to(device)
    (x,) = inputs(library, device, (16, 20))
    classes = (library.arange(16) % 4).to(device)
    update = getattr(library.optim, name)(model.parameters(), lr=0.01)

    def step() -> Any:
        loss = library.nn.functional.cross_entropy(model(x), classes)
        update.zero_grad()
        loss.backward()
        update.step()
        return loss.detach()

    return step


TRAININGS: dict[str, Callable[[ModuleType, str, int], Callable[[], Any]]] = {
    "the notes' network": network,
    "SGD": lambda library, device, size: optimizer(library, device, "SGD"),
    "Adam": lambda library, device, size: optimizer(library, device, "Adam"),
}


@contextlib.contextmanager
def cupy_waits() -> Iterator[list[str]]:
    """What makes cupy wait inside: its own detector tells, which sits where numbers are copied to the host."""
    if not machine.is_real():
        with stand_in.counted() as waits:
            yield waits
        return
    from cupy._core import syncdetect

    found: list[str] = []

    def detected() -> None:
        found.append("".join(traceback.format_stack(limit=4)[:-1]))

    original, syncdetect._declare_synchronize = syncdetect._declare_synchronize, detected
    try:
        yield found
    finally:
        syncdetect._declare_synchronize = original


@contextlib.contextmanager
def torch_waits(torch: ModuleType) -> Iterator[list[str]]:
    """What makes PyTorch wait inside: its debug mode warns of each."""
    found: list[str] = []
    if not torch.cuda.is_available():
        yield found
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            yield found
        finally:
            torch.cuda.set_sync_debug_mode("default")
            found += [str(w.message) for w in caught if "synchroniz" in str(w.message)]


def copies_to_host(torch: ModuleType, run: Callable[[], Any]) -> int | None:
    """How many copies from the GPU to the host the driver saw, whoever ordered them; None where it cannot be asked."""
    if not torch.cuda.is_available():
        return None
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        run()
        torch.cuda.synchronize()
    return sum(event.count for event in seen.key_averages() if "DtoH" in event.key)


def waits(report: dict[str, Any], torch: ModuleType, quick: bool) -> None:
    """How often each library waits in 100 steps."""
    report["waits"] = {}
    for name, training in TRAININGS.items():
        size = 20 if quick else 1000
        ours, theirs = training(minigrad, "cuda", size), training(torch, torch_device(torch), size)
        for step in (ours, theirs):  # what is needed once only, such as compiling kernels, is not a step of training
            step()
        with cupy_waits() as own:
            [ours() for _ in range(100)]
        with torch_waits(torch) as other:
            [theirs() for _ in range(100)]
        copies = copies_to_host(torch, lambda step=ours: [step() for _ in range(100)])
        entry = {"minigrad": len(own), "PyTorch": len(other), "minigrad's copies to the host, by the profiler": copies}
        report["waits"][name] = {**entry, "where": sorted(set(own))[:5]}


# ---------------------------------------------------------------------------------------------------------------------
# 2. Parity


def torch_device(torch: ModuleType) -> str:
    """The GPU, or without one the CPU."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def parity(report: dict[str, Any], torch: ModuleType, quick: bool) -> None:
    """Every expression under both libraries, both with the GPU as the default device."""
    from tests.core.parity import assert_alike, see
    from tests.core.test_against_torch import expressions
    from tests.core.test_against_torch import inputs as expression_inputs

    differ, count = {}, 0
    torch.set_default_device(torch_device(torch))
    minigrad.set_default_device("cuda")
    try:
        for case in expressions()[:: 40 if quick else 1]:
            expression, kind = case.values
            drawn = "rand" in expression or "manual_seed" in expression  # each device has its own generator
            moves = "device" in expression or (quick and "'cpu'" in expression)  # quick: PyTorch stands on the CPU
            if kind not in ("float32", "float64") or drawn or moves:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with torch.device("cpu"):
                    if see(torch, expression, lambda library, kind=kind: expression_inputs(library, kind)).error:
                        continue  # an index out of range would end CUDA for the whole process
                count += 1
                ours, theirs = (
                    plain(see(library, expression, lambda library, kind=kind: expression_inputs(library, kind)))
                    for library in (minigrad, torch)
                )
            try:
                near = 0.02 if ".half()" in expression else {"float32": 1e-4, "float64": 1e-10}[kind]
                assert_alike(ours, theirs, near, expression)
            except AssertionError as error:
                differ[f"{kind} {expression}"] = str(error).splitlines()[0][:300]
    finally:
        torch.set_default_device(None)
        minigrad.set_default_device(None)
    report["parity"] = {"expressions": count, "alike": count - len(differ), "differ": differ}


def plain(seen: Any) -> Any:
    """What was seen, with texts as they are on the CPU."""
    for numbers in seen.results:
        if numbers is not None:
            numbers.text = machine.as_on_cpu(numbers.text)
    if seen.error is not None:
        seen.error = (seen.error[0], machine.as_on_cpu(seen.error[1]).replace("_cuda", "_cpu"))
    return seen


# ---------------------------------------------------------------------------------------------------------------------
# 3. Times


def times(report: dict[str, Any], torch: ModuleType, quick: bool) -> None:
    """The work of both libraries, in turns: first the results are compared, then it is timed.

    A sample is several steps between two moments at which the GPU has done everything; reported are the medians of
    the samples, the median of the rounds' ratios, and their quartiles.
    """
    report["times"] = {}
    for name, (work, size, quick_size, repeats, limit) in WORK.items():
        size, rounds = (quick_size, 3) if quick else (size, 15)
        steps = {"minigrad": work(minigrad, "cuda", size), "PyTorch": work(torch, torch_device(torch), size)}
        results = [as_list(step()) for step in steps.values()]
        difference = distance(*results)
        assert difference < 1e-3, f"{name}: the results differ by {difference}"
        finish = {"minigrad": minigrad.cuda.synchronize, "PyTorch": torch_finish(torch)}
        samples: dict[str, list[float]] = {library: [] for library in steps}
        for round_ in range(rounds + 2):  # two to warm up
            for library in list(steps)[:: 1 if round_ % 2 else -1]:
                finish[library]()
                begin = time.perf_counter()
                for _ in range(1 if quick else repeats):
                    steps[library]()
                finish[library]()
                if round_ >= 2:
                    samples[library].append((time.perf_counter() - begin) / (1 if quick else repeats))
        ratios = [a / b for a, b in zip(samples["minigrad"], samples["PyTorch"], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        report["times"][name] = {
            "size": size,
            **{f"{library}, ms": round(1e3 * statistics.median(s), 4) for library, s in samples.items()},
            "ratio": round(middle, 3),
            "quartiles": [round(low, 3), round(high, 3)],
            "target": limit,
            "relative difference of the results": difference,
        }


def torch_finish(torch: ModuleType) -> Callable[[], None]:
    """A function that waits until PyTorch's work is done."""
    return torch.cuda.synchronize if torch.cuda.is_available() else lambda: None


def as_list(tensor: Any) -> list[float]:
    """A tensor's first numbers: enough to compare, for both libraries compute all alike."""
    return [float(v) for v in tensor.detach().reshape(-1)[:10_000].cpu().tolist()]


def distance(ours: list[float], theirs: list[float]) -> float:
    """‖a - b‖ / ‖b‖."""
    top = sum((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)) ** 0.5
    return top / (sum(b * b for b in theirs) ** 0.5 or 1.0)


# ---------------------------------------------------------------------------------------------------------------------
# 4. The suite


def suite(report: dict[str, Any], torch: ModuleType, quick: bool) -> None:
    """tests/device in a process of its own, which on this machine uses cupy itself."""
    which = ["tests/device/test_surface.py", "-k", "notes_cuda"] if quick else ["tests/device"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    # What a newer numpy deprecates is no news about the GPU.
    command += ["-W", "default::DeprecationWarning"]
    command += [] if quick else ["-n", "8", "--dist", "loadscope", "--deselect", "tests/device/test_on_gpu.py"]
    limit = 120 if quick else 360
    try:
        done = subprocess.run(
            [*command, *which], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=limit
        )
        said = done.stdout
        report["suite"] = {"exit": done.returncode, "said": said.strip().splitlines()[-1:] or [done.stderr[-300:]]}
    except subprocess.TimeoutExpired as error:
        said = (error.stdout or b"").decode(errors="replace")
        report["suite"] = {"exit": None, "said": [f"stopped after {limit} s"]}
    report["suite"]["failed"] = re.findall(r"^(?:FAILED|ERROR) (.*)$", said, re.MULTILINE)[:200]


# ---------------------------------------------------------------------------------------------------------------------
# All of it

PARTS = {"waits": waits, "parity": parity, "times": times, "suite": suite}


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """Run all parts; one that fails is written down and does not stop the others."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.on_gpu")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="the folder for gpu.json and gpu.md")
    parser.add_argument("--only", choices=PARTS, nargs="*", default=list(PARTS), help="some of the parts")
    parser.add_argument("--stand-in", action="store_true", help="without a GPU, on small sizes")
    options = parser.parse_args(arguments)
    if not options.stand_in and not machine.is_real():
        parser.error("there is no GPU, or cupy is not installed; --stand-in runs without")
    import torch

    with machine.gpu(default=False, one_generator=False):
        report = described(torch, options.stand_in)
        for name in options.only:
            begin = time.perf_counter()
            try:
                PARTS[name](report, torch, options.stand_in)
            except Exception:
                report.setdefault("broken", {})[name] = traceback.format_exc()
            report["seconds"][name] = round(time.perf_counter() - begin, 1)
            write(report, options.out)
    print(table(report))
    return report


def described(torch: ModuleType, is_stand_in: bool) -> dict[str, Any]:
    """When, where and with what."""
    import cupy
    import numpy

    versions = {
        "minigrad": minigrad.__version__,
        "cupy": cupy.__version__,
        "numpy": numpy.__version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
    name = "none: the stand-in, which proves this script only" if is_stand_in else minigrad.cuda.get_device_name()
    return {
        "date": datetime.date.today().isoformat(),
        "gpu": name,
        "versions": versions,
        "command": "python -m tests.device.on_gpu" + (" --stand-in" if is_stand_in else ""),
        "seconds": {},
    }


def write(report: dict[str, Any], folder: Path) -> None:
    """Both files."""
    text = json.dumps(report, ensure_ascii=False, indent=1)
    (folder / "gpu.json").write_text(text + "\n", encoding="utf-8", newline="\n")
    (folder / "gpu.md").write_text(table(report), encoding="utf-8", newline="\n")


def table(report: dict[str, Any]) -> str:
    """The report to read."""
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    lines = [f"# minigrad on a GPU\n\n{report['date']}, {report['gpu']}; {versions}; `{report['command']}`."]
    if "times" in report:
        lines.append("| work | minigrad, ms | PyTorch, ms | ratio (quartiles) | target |\n|---|---|---|---|---|")
        for name, row in report["times"].items():
            low, high = row["quartiles"]
            target = "" if row["target"] is None else f"≤ {row['target']}"
            ratio = f"{row['ratio']} ({low}–{high})"
            lines[-1] += f"\n| {name} | {row['minigrad, ms']} | {row['PyTorch, ms']} | {ratio} | {target} |"
    if "waits" in report:
        lines.append("| 100 steps of training | minigrad waits | PyTorch waits |\n|---|---|---|")
        for name, row in report["waits"].items():
            lines[-1] += f"\n| {name} | {row['minigrad']} | {row['PyTorch']} |"
    if "parity" in report:
        found = report["parity"]
        lines.append(f"{found['alike']} of {found['expressions']} expressions are as PyTorch's on the same GPU.")
        lines += [f"- `{name}`: {how}" for name, how in list(found["differ"].items())[:40]]
    if "suite" in report:
        lines.append(f"The suite: {' '.join(report['suite']['said'])}")
        lines += [f"- {name}" for name in report["suite"]["failed"][:40]]
    lines += [f"**{name} broke off:** {text.splitlines()[-1]}" for name, text in report.get("broken", {}).items()]
    return "\n\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
