"""What a learner's installation lacks, and how to get it: ``minigrad doctor``."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from minigrad_lessons import names
from minigrad_lessons.kernels import own_sockets
from minigrad_lessons.language import LANGUAGES, Says, speak


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `get` says how to fix it; None: it is there."""

    name: Says
    get: Says | None = None
    needed: bool = True


#: Distribution → what it is for. Each is imported: installed and broken is as bad as missing. What lays the graphs out
#: is not among them: pygraphviz or a `dot` program, whichever can.
PARTS = {
    "numpy": Says("the numbers", "数值计算"),
    "graphviz": Says("writes the graphs", "生成计算图的描述"),
    "ipywidgets": Says("sliders and buttons", "滑块和按钮"),
    "anywidget": Says("the live graph", "实时计算图"),
    "jupyterlab": Says("opens the notebooks", "打开笔记本"),
}
#: What brings them all: pip takes the extra's parts and leaves the installed package as it is.
ALL = '"minigrad-lessons[lab]"'
#: What brings JupyterLab's menus in Chinese.
MENUS = "jupyterlab-language-pack-zh-CN"


def main(lang: str) -> int:
    """Print every finding; return 1 when something that the lessons need is missing."""
    missing = 0
    for finding in examine():
        if finding.get is None:
            speak("✅", finding.name, lang)
            continue
        missing += finding.needed
        speak("❌" if finding.needed else "➖", finding.name, lang)
        speak("   →", finding.get, lang)
    if missing:
        speak("\n❌", Says(f"{missing} to fix, from the top.", f"有 {missing} 处要补，请从上往下处理。"), lang)
    else:
        speak("\n✅", Says("Ready: run `minigrad lab`.", "一切就绪：运行 `minigrad lab`。"), lang)
    return int(missing > 0)


def examine() -> list[Finding]:
    """Look at everything, the needed things first, each on its own: one that fails does not hide the next."""
    return [
        _python(),
        *(Finding(Says("a name is taken", "名字被占用"), names.in_the_way(file)) for file in names.taken(*_folders())),
        *(_part(name, purpose) for name, purpose in PARTS.items()),
        _works(Says("a picture of a graph", "画一张计算图"), _picture, _drawing),
        _works(
            Says("the lessons' notebooks", "课程的笔记本"),
            _notebooks,
            lambda: Says("install minigrad-lessons again, as before", "请用原来的方式重新安装 minigrad-lessons"),
        ),
        _works(Says("a notebook's kernel", "笔记本的内核"), _kernel, lambda: cure("ipykernel", "jupyterlab")),
        _optional(
            MENUS,
            Says("JupyterLab's menus in Chinese (if you like)", "JupyterLab 的中文菜单（可选）"),
        ),
        *_font(),
        _optional("torch", Says("PyTorch (to draw its graphs too)", "PyTorch（想画它的计算图时才需要）")),
    ]


def _folders() -> list[Path]:
    """Where notebooks may run: here, and in the lessons that `minigrad lab` keeps here."""
    return [Path(), *(Path(kept, "lessons", lang) for kept in ("", "minigrad-lessons") for lang in LANGUAGES)]


def install(what: str, *, again: bool = False) -> str:
    """The command that brings `what` into this very Python: the usual mistake is another one's pip."""
    python = subprocess.list2cmdline([sys.executable]) if os.name == "nt" else shlex.quote(sys.executable)
    force = "--force-reinstall " if again else ""
    if importlib.util.find_spec("pip") is None:  # uv makes environments without it
        return f"uv pip install --python {python} {force}{what}"
    return f"{python} -m pip install {force}{what}"


def cure(*parts: str) -> Says:
    """The command that brings what is missing of `parts`, or brings them again."""
    if all(map(importlib.util.find_spec, parts)):
        return _run(install(" ".join(parts), again=True))
    try:
        importlib.metadata.version("minigrad-lessons")
    except importlib.metadata.PackageNotFoundError:  # a folder on the path: pip knows nothing of its extras
        return _run(install(" ".join(parts)))
    return _run(install(ALL))


def _drawing() -> Says:
    """What lets graphs be drawn: the wheel, or what it takes from the system, which a slim container lacks."""
    try:
        importlib.import_module("pygraphviz")
    except ModuleNotFoundError:
        pass
    except ImportError:
        return Says(
            "a library of the system is missing; its Graphviz brings it, for example: apt install graphviz",
            "缺少一个系统库；安装系统的 Graphviz 即可，例如：apt install graphviz",
        )
    return cure("graphviz", "pygraphviz")


def _run(command: str) -> Says:
    return Says(f"run: {command}", f"请运行：{command}")


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding(Says(f"Python {version} ({sys.executable})", f"Python {version}（{sys.executable}）"))


def _part(name: str, purpose: Says) -> Finding:
    try:
        importlib.import_module(name)
        version = importlib.metadata.version(name)
    except ImportError as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == name
        state = Says("missing", "没有安装") if absent else Says(f"broken: {error}", f"已损坏：{error}")
        return Finding(_join(name, purpose, state), cure(name))
    return Finding(_join(f"{name} {version}", purpose))


def _join(name: str, purpose: Says, state: Says | None = None) -> Says:
    if state is None:
        return Says(f"{name}: {purpose.en}", f"{name}：{purpose.zh}")
    return Says(f"{name}: {purpose.en}; {state.en}", f"{name}：{purpose.zh}；{state.zh}")


def _works(name: Says, attempt: Callable[[], None], get: Callable[[], Says]) -> Finding:
    try:
        attempt()
    except Exception as error:  # whatever it is, the learner must see it, and the next finding too
        said = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        return Finding(Says(f"{name.en} failed: {said}", f"{name.zh}，失败：{said}"), get())
    return Finding(name)


def _picture() -> None:
    import minigrad
    import viz

    w = minigrad.tensor(2.0, requires_grad=True)
    if "<svg" not in viz.draw(w * w).svg:
        raise RuntimeError("no picture came")


def _notebooks() -> None:
    found = {lang: {path.name for path in (Path(__file__).parent / lang).glob("*.ipynb")} for lang in LANGUAGES}
    if not found["en"] or found["en"] != found["zh"]:
        raise FileNotFoundError(f"{len(found['en'])} in English, {len(found['zh'])} in Chinese")


def _kernel() -> None:
    """Start one, and let it import what the lessons import."""
    from jupyter_client import KernelManager

    # a class asks the doctor all at once, on one machine; and on Windows pyzmq warns of how it reads there
    with tempfile.TemporaryDirectory() as sockets, warnings.catch_warnings(action="ignore"):
        manager = KernelManager(kernel_name="python3", **own_sockets(sockets))
        manager.start_kernel(stderr=subprocess.DEVNULL)
        client = manager.blocking_client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            reply = client.execute_interactive("import minigrad, viz", timeout=60, output_hook=lambda message: None)
            if reply["content"]["status"] != "ok":
                raise RuntimeError(f"in the kernel, {reply['content']['ename']}: {reply['content']['evalue']}")
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def there(name: str) -> bool:
    """Whether a distribution is installed."""
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _optional(name: str, says: Says) -> Finding:
    return Finding(says) if there(name) else Finding(says, _run(install(name)), needed=False)


def _font() -> list[Finding]:
    """Windows and macOS bring a Chinese font; a bare Linux shows boxes. Asked only where fontconfig can answer."""
    if not shutil.which("fc-list"):
        return []
    says = Says("a Chinese font (for the Chinese pages)", "中文字体（中文页面需要）")
    if subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=False).stdout.strip():
        return [Finding(says)]
    return [Finding(says, _run("sudo apt-get install fonts-noto-cjk"), needed=False)]
