"""From nothing to Lesson 1: ``python3 .ci/outside.py wheel``, ``… binder`` and ``… clone``.

Standard library only. Run in a clean copy of the repository (as .ci/run does): all but `wheel` install in it.

- ``wheel``: the README's commands build sdist and wheel, the wheel from the sdist. It goes into an empty environment,
  alone, which takes seconds and brings numpy and no more; then with what its lessons need,
  in a folder that has never seen the repository. There ``minigrad doctor`` finds nothing missing and ``minigrad lab``
  opens Lesson 1 in JupyterLab, in both languages, where all its cells run.
- ``binder``: what repo2docker does with binder/, in an empty environment: the pins, then postBuild, then Lesson 1.
- ``clone``: the README's first two commands, as this system types them: Lesson 1 in JupyterLab, and all tests. (For
  macOS and Windows; .ci/run does the same, with more around it.)
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

from lesson_opens import main as lesson_opens

ROOT = Path(__file__).resolve().parents[1]


def main(what: str) -> None:
    """Do one of the three in a temporary folder, which is gone afterwards."""
    os.environ.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        DOES[what](Path(folder))
        os.chdir(ROOT)  # Windows removes no folder that somebody is in


def run(*command: str | Path, **options: object) -> None:
    """Run a command; where it fails, so does this script."""
    subprocess.run([str(part) for part in command], check=True, **options)


def readme_command(name: str, lang: str = "en") -> str:
    """A command of the README or of docs/install.md, which mark theirs; of the Chinese pages, the command at the same
    place. On Windows the line at the same place among those for Windows."""
    english, asked = map(commands, ("en", lang))
    place = re.findall(r"<!-- command: (\w+) -->", english).index(name)
    if os.name == "nt":
        return re.search(r"```bat\n(.*?)\n```", asked, re.DOTALL)[1].splitlines()[place]
    return re.findall(r"```sh\n(.*?)\n```", asked, re.DOTALL)[place]


def commands(lang: str) -> str:
    """The two pages with commands, of one language."""
    pages = {"en": ("README.md", "docs/install.md"), "zh": ("README.zh.md", "docs/install.zh.md")}[lang]
    return "\n".join((ROOT / page).read_text(encoding="utf-8") for page in pages)


def clone(folder: Path) -> None:
    """The README's commands inside a clone."""
    os.chdir(ROOT)
    lesson_opens(readme_command("lesson"))
    subprocess.run(readme_command("tests"), shell=True, check=True)


def wheel(folder: Path) -> None:
    """The README's commands: build, then elsewhere install and open Lesson 1, in both languages."""
    subprocess.run(readme_command("build"), shell=True, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    (sdist,), (built,) = (ROOT / "dist").glob("*.tar.gz"), (ROOT / "dist").glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        carried = set(archive.namelist())
    missing = [path for path in wanted() if path not in carried]
    assert not missing, f"the wheel lacks {missing}"
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [path for path in [*wanted(), "README.md", "LICENSE", "tests/test_readme.py"] if path not in names]
    assert not missing, f"the sdist lacks {missing}"
    print(f"{sdist.name} and {built.name} ({built.stat().st_size / 1e6:.1f} MB) carry all {len(wanted())} files")

    shutil.copy(built, folder)
    os.chdir(folder)
    alone(built)
    lesson_opens(readme_command("wheel"))
    run(Path(".venv", "Scripts" if os.name == "nt" else "bin", "minigrad"), "doctor", "--lang", "en")
    lesson_opens(readme_command("wheel", "zh"))


def alone(built: Path) -> None:
    """The wheel without an extra brings numpy and no more, and computes; what else is wanted is named. Prints what it
    took."""
    run(sys.executable, "-m", "venv", "alone")
    python = Path("alone", "Scripts" if os.name == "nt" else "bin", "python")
    before, start = size(Path("alone")), time.monotonic()
    run(python, "-m", "pip", "install", "--quiet", "--no-cache-dir", built)
    seconds, took = time.monotonic() - start, (size(Path("alone")) - before) / 1e6
    ask = "import importlib.metadata as m; print(*sorted({d.name for d in m.distributions()} - {'pip', 'setuptools'}))"
    brought = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.split()
    assert brought == ["minigrad-lessons", "numpy"], f"the wheel alone brings {brought}"
    assert took < 100, f"the wheel alone takes {took:.0f} MB"
    computed = subprocess.run([python, "-c", ALONE], capture_output=True, encoding="utf-8", check=True).stdout
    assert 'pip install "minigrad-lessons[viz]"' in computed, computed
    print(f"the wheel alone brings numpy and no more: {seconds:.1f} s, {took:.0f} MB; it computes, and says what draws")


ALONE = """
import minigrad, viz
w = minigrad.tensor(3.0, requires_grad=True)
y = w * w
y.backward()
assert w.grad.item() == 6 and "MulBackward0" in viz.text(y)
try:
    viz.draw(y).svg
except viz.LayoutError as error:
    print(str(error).encode("ascii", "ignore").decode())
"""


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def wanted() -> list[str]:
    """What the packages hold in the repository: a wheel without one of these is broken."""
    tops = [ROOT / top for top in ("minigrad", "viz", "minigrad_lessons")]
    return [path.relative_to(ROOT).as_posix() for top in tops for path in files(top)]


def files(folder: Path) -> list[Path]:
    """Every file below a folder, but what Python and editors leave."""
    return [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]


def binder(folder: Path) -> None:
    """repo2docker's steps after apt: runtime.txt's Python, requirements.txt, postBuild; then Lesson 1."""
    release = (ROOT / "binder/runtime.txt").read_text(encoding="utf-8").strip().replace("-", "")
    python = shutil.which(release)
    if python is None:
        print(f"left out: Binder's pins are for {release}, and it is not on the PATH")
        return
    run(python, "-m", "venv", folder / "venv")
    commands = folder / "venv" / "bin"
    activated = os.environ | {"PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    pins = ROOT / "binder/requirements.txt"
    uv = shutil.which("uv")  # .ci/run brings it, for it is fast; the versions are pinned, whoever installs them
    installer = [uv, "pip", "install", "--python", commands / "python"] if uv else [commands / "pip", "install"]
    run(*installer, "--quiet", "-r", pins, cwd=ROOT, env=activated)
    run(ROOT / "binder/postBuild", cwd=ROOT, env=activated | {"PIP_QUIET": "1"})
    run(commands / "pip", "check", cwd=ROOT)
    ask = "import importlib.metadata as m; print(*(f'{d.name}=={d.version}' for d in m.distributions()), sep='\\n')"
    installed = subprocess.run([commands / "python", "-c", ask], capture_output=True, text=True, check=True)
    pinned = [line for line in pins.read_text(encoding="utf-8").splitlines() if "==" in line]
    others = set(pinned) - set(installed.stdout.split())
    assert not others, f"not installed at these versions: {others}"
    print(f"the {len(pinned)} pins of binder/ are installed, postBuild has run")
    os.chdir(ROOT)
    lesson_opens(f"{commands}/jupyter lab --allow-root --notebook-dir=. minigrad_lessons/zh/01_first_gradient.ipynb")


DOES = {"wheel": wheel, "binder": binder, "clone": clone}

if __name__ == "__main__":
    if sys.argv[1:] not in ([what] for what in DOES):
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that JupyterLab is ended too
    main(sys.argv[1])
