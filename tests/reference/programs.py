"""Run programs the way a notebook runs its cells, and write down everything they say.

One recorder serves both sides: PyTorch's answers in the JSON files of this folder came out of it
(`python -m tests.reference.record`), and the tests put minigrad through it.
"""

import contextlib
import functools
import importlib
import io
import json
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

FOLDER = Path(__file__).parent


@dataclass
class Answer:
    """What one program said: its printed text, the error that ended it, the warnings on the way."""

    stdout: str
    error: dict[str, str] | None
    warnings: list[dict[str, str]]


@dataclass
class Case:
    """A program, its place (programs of one namespace share their variables, in order), PyTorch's answer."""

    namespace: str
    title: str
    code: str
    answer: Answer

    @property
    def name(self) -> str:
        """Namespace and title, each word once."""
        return self.namespace if self.title in self.namespace else f"{self.namespace} {self.title}"


@functools.cache
def load(path: Path) -> list[Case]:
    """Read recorded cases. The layout of a case in the file is flat: place, code and answer side by side."""
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return [
        Case(
            case["namespace"],
            case["title"],
            case["code"],
            Answer(case["stdout"], case["error"], case["warnings"]),
        )
        for case in cases
    ]


def save(path: Path, oracle: str, cases: Sequence[Case]) -> None:
    """Write recorded cases; `load` reads them back."""
    flat = [
        {"namespace": case.namespace, "title": case.title, "code": case.code, **asdict(case.answer)} for case in cases
    ]
    text = json.dumps({"oracle": oracle, "cases": flat}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def cells(path: Path) -> list[tuple[str, str]]:
    """Titles and programs of a file whose cells start at `# %% title`."""
    _, *parts = re.split(r"^# %% (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [(title, code.strip("\n")) for title, code in zip(parts[::2], parts[1::2])]


def oracle(path: Path) -> str:
    """The library and version that the answers in a file came from, such as "PyTorch 2.13.0+cpu"."""
    return json.loads(path.read_text(encoding="utf-8"))["oracle"]


def answers(cases: Sequence[Case], library: ModuleType) -> list[Answer]:
    """Run the cases of one file under `library`: a fresh notebook for each namespace, cells in order."""
    notebooks: dict[str, dict[str, Any]] = {}
    said = []
    with imported_as_torch(library), every_warning(library):
        for case in cases:
            if case.namespace not in notebooks:
                notebooks[case.namespace] = {"__name__": "__main__", "torch": library}
                library.manual_seed(0)
            said.append(run(case.code, notebooks[case.namespace], f"<{case.title}>"))
    return said


def run(code: str, variables: dict[str, Any], filename: str) -> Answer:
    """Run one cell among a notebook's variables."""
    printed, error = io.StringIO(), None
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        # minigrad silences numpy's floating-point warnings in its own modules; "always" would bring them back.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")
        try:
            exec(compile(code, filename, "exec"), variables)
        except Exception as exception:
            error = {"type": type(exception).__name__, "message": masked(str(exception))}
    return Answer(
        masked(printed.getvalue().rstrip("\n")),
        error,
        [{"category": w.category.__name__, "message": masked(str(w.message))} for w in caught],
    )


@contextlib.contextmanager
def imported_as_torch(library: ModuleType) -> Iterator[None]:
    """Let `import torch` and `from torch.autograd import …` inside programs mean `library`."""
    if library.__name__ == "torch":
        yield
        return

    for lazy in ("backends", "func", "nn", "optim", "utils"):  # under their own names, whoever asks for them first
        importlib.import_module(f"{library.__name__}.{lazy}")

    def modules_of(package: str) -> dict[str, ModuleType]:
        return {name: module for name, module in sys.modules.items() if name.split(".")[0] == package}

    real = modules_of("torch")
    for name in real:
        del sys.modules[name]
    for name, module in modules_of(library.__name__).items():
        sys.modules["torch" + name.removeprefix(library.__name__)] = module
    try:
        yield
    finally:
        for name in modules_of("torch"):
            del sys.modules[name]
        sys.modules.update(real)


@contextlib.contextmanager
def every_warning(library: ModuleType) -> Iterator[None]:
    """PyTorch says some warnings once per process: here each time, so that no program depends on another."""
    if not hasattr(library, "set_warn_always"):
        yield
        return
    before = library.is_warn_always_enabled()
    library.set_warn_always(True)
    try:
        yield
    finally:
        library.set_warn_always(before)


def masked(text: str) -> str:
    """Take out what differs from run to run or from build to build: addresses, tracebacks, the builder's folders; and
    what Python says since 3.14 of a context manager that is none."""
    text = text.removesuffix(" (missed __exit__ method)")
    text = re.sub(r"\b0x[0-9a-fA-F]+\b", "0xADDR", text)
    text = re.sub(r"(?<=Traceback of forward call that caused the error:\n).*", "…", text, flags=re.DOTALL)
    return re.sub(r"(Triggered internally at )\S*(/pytorch/)", r"\1<build>\2", text)
