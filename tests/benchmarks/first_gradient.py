"""How long from `pip install` to the first gradient with its picture: minigrad, and torch + torchviz + graphviz.

    python tests/benchmarks/first_gradient.py             minigrad alone
    python tests/benchmarks/first_gradient.py --torch     both; as root, for `apt-get install graphviz`

Each starts from an empty virtual environment and an empty pip cache, and ends when the same program has checked
w.grad and saved the graph. For minigrad also: how long `minigrad lab` then takes until JupyterLab has answered and
every cell of Lesson 1 has run in it. Standard library only. The figures of one machine stand in first_gradient.txt,
beside this.
"""

from __future__ import annotations

import datetime
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
X, Y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([3.0, 5.0, 7.0])
w = torch.tensor([1.0], requires_grad=True)
loss = ((Y - w * X) ** 2).sum()
loss.backward()
assert w.grad.item() == -40
{draw}
"""
MINIGRAD = "import minigrad as torch, viz" + PROGRAM.format(draw="viz.draw(loss).save('graph.svg')")
TORCHVIZ = "import torch, torchviz" + PROGRAM.format(
    draw="torchviz.make_dot(loss, {'w': w}).render('graph', format='svg')"
)


def timed(what: str, *command: str | Path) -> float:
    """Run a command quietly, print its seconds and return them."""
    start = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{what} failed:\n{done.stdout}\n{done.stderr}")
    seconds = time.perf_counter() - start
    print(f"  {what:<42} {seconds:7.1f} s")
    return seconds


def measure(title: str, packages: list[str], program: str, *, apt: list[str], then: str = "") -> None:
    """From an empty environment to `program`'s end, each step printed, then the sum and what it took on the disk; and
    how long it is until Lesson 1 has run in the JupyterLab that the command `then` starts."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([sys.executable, "-m", "venv", "venv"], check=True)
        print(f"{title}{busy()}")
        python = Path(folder, "venv", "Scripts" if os.name == "nt" else "bin", "python")
        before = size(Path(folder, "venv"))
        shown = " ".join(Path(package).name.partition("-")[0] for package in packages)
        total = timed(f"pip install {shown}", python, "-m", "pip", "install", "--no-cache-dir", *packages)
        if apt:
            total += timed("apt-get update", "apt-get", "update")
            total += timed(f"apt-get install {' '.join(apt)}", "apt-get", "install", "-y", *apt)
        total += timed("python: gradient, graph saved as SVG", python, "-c", program)
        assert Path("graph.svg").stat().st_size > 500
        print(f"  {'together':<42} {total:7.1f} s, {(size(Path(folder, 'venv')) - before) / 1e6:,.0f} MB by pip")
        if then:
            opens = ROOT / ".ci" / "lesson_opens.py"
            timed("minigrad lab: all cells of Lesson 1 ran", sys.executable, opens, str(python.parent / then))
        print()
        os.chdir(ROOT)


def busy() -> str:
    """How many processes wanted a core in the last minute: above the number of cores, the seconds say too much."""
    return f"; load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def main() -> None:
    """Build the wheel that a learner would be given, then measure."""
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{datetime.date.today()}, {system}\n")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={folder}", ROOT], check=True
        )
        (wheel,) = Path(folder).glob("*.whl")
        measure("minigrad (with JupyterLab and the lessons)", [f"{wheel}[lab]"], MINIGRAD, apt=[], then="minigrad lab")
    if "--torch" in sys.argv[1:]:
        apt = [] if shutil.which("dot") else ["graphviz"]
        if not apt:
            print("(dot is installed already: its time is not in the sum)")
        measure("torch + torchviz + graphviz (no JupyterLab)", ["torch", "torchviz"], TORCHVIZ, apt=apt)


if __name__ == "__main__":
    main()
