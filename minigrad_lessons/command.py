"""The ``minigrad`` command: ``minigrad lab`` opens the lessons, ``minigrad export`` writes them as pages,
``minigrad doctor`` says what is missing."""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.metadata
import io
import json
import locale
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from minigrad_lessons import doctor
from minigrad_lessons.export import NoNotebook, export
from minigrad_lessons.language import LANGUAGES, Says, speak
from minigrad_lessons.progress import first_unfinished

PACKAGE = Path(__file__).resolve().parent
_BESIDE = re.compile(r"\]\((\.\./[^)#\s]+)")  # a link out of its folder, such as one to the engine's source


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(prog="minigrad", description="Watch autograd think. 看自动求导如何思考。")
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    lab = commands.add_parser(
        "lab",
        help="copy the lessons here and open JupyterLab / 把课程复制到当前目录，并打开 JupyterLab",
        description="Copy the lessons where you work (yours are never overwritten) and open JupyterLab at the first "
        "unfinished one. Other options go to JupyterLab, such as --no-browser. "
        "把课程复制到你的工作目录（已有的文件绝不覆盖），并在 JupyterLab 里打开第一个没做完的课。"
        "其余选项原样交给 JupyterLab。",
    )
    lab.add_argument(
        "--dir", type=Path, default=Path("minigrad-lessons"), help="where to keep them (%(default)s) / 放在哪个目录"
    )
    pages = commands.add_parser(
        "export",
        help="write lessons as web pages that need no network / 把课程导出成不联网也能看的网页",
        description="Write notebooks as web pages: every picture and output in them, nothing fetched from the network. "
        "把笔记本导出成网页：图和输出都在里面，打开时不联网。",
    )
    pages.add_argument(
        "notebooks", nargs="*", type=Path, help="which (default: all lessons, as they come) / 哪些（默认全部课程）"
    )
    pages.add_argument(
        "--dir", type=Path, default=Path("minigrad-pages"), help="where to write them (%(default)s) / 写到哪个目录"
    )
    examine = commands.add_parser("doctor", help="say what is missing, and how to get it / 检查缺什么、怎样补上")
    for command in (lab, pages, examine):
        command.add_argument("--lang", choices=LANGUAGES, help="en or zh (default: your system's) / 语言，默认随系统")
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "lab":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot write ✅ or 中文 shows ? and goes on
    lang = options.lang or system_language()
    try:
        status = _run(options, rest, lang)
        sys.stdout.flush()  # here, where it can still be caught that nobody reads on
        return status
    except BrokenPipeError:  # `minigrad doctor | head -3`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python flushes at its end
        return 1
    except KeyboardInterrupt:  # Ctrl+C before JupyterLab runs, or while the doctor looks
        return 130


def _run(options: argparse.Namespace, rest: Sequence[str], lang: str) -> int:
    try:
        if options.command == "doctor":
            return doctor.main(lang)
        if options.command == "export":
            return write_pages(options.notebooks, options.dir, lang)
        return open_lab(options.dir, lang, rest)
    except BrokenPipeError:
        raise
    except OSError as error:
        speak("❌", _refused(error), lang)
        return 1


def _version() -> str:
    try:
        return importlib.metadata.version("minigrad-lessons")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _refused(error: OSError) -> Says:
    """What the system refused, in a sentence."""
    if error.filename is None:
        return Says(f"{error}.", f"{error}。")
    path = Path(error.filename).absolute()
    if isinstance(error, FileExistsError | NotADirectoryError):
        file = next((part for part in (path, *path.parents) if os.path.isfile(part)), path)
        return Says(f"{file} is a file where a folder is needed.", f"{file} 是文件，而这里需要一个文件夹。")
    if isinstance(error, PermissionError):
        return Says(f"There is no permission for {path}.", f"没有权限访问 {path}。")
    return Says(f"{path} cannot be used: {error.strerror}.", f"无法使用 {path}：{error.strerror}。")


def system_language() -> str:
    """``zh`` where the system speaks Chinese, otherwise ``en``; ``MINIGRAD_LANG`` decides before it."""
    for name in ("MINIGRAD_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if spoken := os.environ.get(name):
            return "zh" if spoken.startswith("zh") else "en"
    return "zh" if (locale.getlocale()[0] or "").startswith(("zh", "Chinese")) else "en"


def copy_lessons(folder: Path) -> list[Path]:
    """Put the notebooks under `folder`/lessons, and what they link to beside them; return what was written.

    A file that is there already is the learner's: it stays as it is. The new notebooks have not run: who is to predict
    a result must not read it below.
    """
    wanted = {Path("lessons", lang, path.name): path for lang in LANGUAGES for path in (PACKAGE / lang).glob("*.ipynb")}
    for place, notebook in list(wanted.items()):
        for linked in _BESIDE.findall(notebook.read_text(encoding="utf-8")):
            wanted[Path(os.path.normpath(place.parent / linked))] = (notebook.parent / linked).resolve()
    targets = {folder / place: source for place, source in sorted(wanted.items())}
    for parent in {target.parent for target in targets}:  # all of them before the first file
        parent.mkdir(parents=True, exist_ok=True)
    written = []
    for target, source in targets.items():
        content = source.read_bytes()
        if source.suffix == ".ipynb":
            content = as_before_its_run(content.decode("utf-8")).encode("utf-8")
        try:
            file = target.open("xb")
        except FileExistsError:
            continue
        try:
            with file:
                file.write(content)
        except BaseException:  # half a file would stay: it is never overwritten
            target.unlink()
            raise
        written.append(target)
    return written


def as_before_its_run(notebook: str) -> str:
    """A notebook's text without outputs and numbers of runs; what its cells say stays to the letter.

    As its kernel it names the one that JupyterLab will start, in JupyterLab's words: it would write them at once, and
    ask at the end whether to save a notebook that nobody has touched.
    """
    book = json.loads(notebook)
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    book["metadata"].update(_kernel())
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


@functools.cache
def _kernel() -> dict[str, Any]:
    try:
        from ipykernel.ipkernel import IPythonKernel
        from jupyter_client.kernelspec import get_kernel_spec

        spec = get_kernel_spec("python3")
    except (ImportError, KeyError):  # no such kernel: `minigrad doctor` says so
        return {}
    named = {"display_name": spec.display_name, "language": spec.language, "name": "python3"}
    return {"kernelspec": named, "language_info": IPythonKernel.language_info}


def open_lab(folder: Path, lang: str, more: Sequence[str]) -> int:
    """Copy the lessons to `folder` and run JupyterLab there until it is closed. `more` are JupyterLab's options."""
    try:
        from jupyterlab.labapp import LabApp
    except ImportError:
        speak(
            "❌",
            Says("JupyterLab is missing: run `minigrad doctor`.", "缺少 JupyterLab：请运行 `minigrad doctor`。"),
            lang,
        )
        return 1
    if not {"--help-all", "--version", "-V", "--generate-config"}.isdisjoint(more):  # it answers, and does no more
        LabApp.launch_instance(argv=list(more))
        return 0
    if unknown := unknown_option(more):
        speak("❌", Says(f"JupyterLab has no option {unknown}.", f"JupyterLab 没有 {unknown} 这个选项。"), lang)
        return 2
    written = copy_lessons(folder)
    lesson = first_unfinished(folder / "lessons" / lang)
    speak("📁", _where(folder.resolve(), len(written)), lang)
    speak("▶ ", Says(f"Opening {lesson.name}. Ctrl+C ends it.", f"正在打开 {lesson.name}。按 Ctrl+C 结束。"), lang)
    argv = [
        f"--ServerApp.root_dir={folder.resolve()}",
        f"--LabApp.default_url=/lab/tree/{quote(lesson.relative_to(folder).as_posix())}",  # the address it prints, too
        "--ServerApp.answer_yes=True",  # one Ctrl+C, and no question
        f"--LabApp.extra_labextensions_path={extensions()}",  # an editable install has it nowhere else
        *more,
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        argv.insert(0, "--allow-root")  # in containers the learner is root
    with _interface(lang):
        LabApp.launch_instance(argv=argv)
    return 0


def extensions() -> Path:
    """The folder with the JupyterLab extension that puts the live panel beside its notebook."""
    return PACKAGE.parent / "viz" / "notebook" / "labextension"


def unknown_option(options: Sequence[str]) -> str | None:
    """The first of JupyterLab's options that it does not know: by itself it would only warn, somewhere in its log.

    A value that it cannot use ends the program, with JupyterLab's own words.
    """
    from jupyterlab.labapp import LabApp

    server = LabApp.serverapp_class()  # reads them as the one that will run, which lists LabApp's as its own
    server.aliases = {**server.aliases, **LabApp.aliases}
    known = {
        name for names in (*server.aliases, *server.flags) for name in ([names] if isinstance(names, str) else names)
    }
    for option in options:
        short = re.fullmatch(r"--?([^.=]+)(=.*)?", option, re.DOTALL)  # with a dot: a class and its trait
        if short and short[1] not in known:
            return option
    server.parse_command_line(list(options))
    return None


def write_pages(notebooks: Sequence[Path], folder: Path, lang: str) -> int:
    """Write `notebooks`, or else all lessons of a language, as pages into `folder`."""
    missing = [notebook for notebook in notebooks if not notebook.is_file()]
    if missing:
        speak("❌", Says(f"There is no notebook {missing[0]}.", f"找不到笔记本 {missing[0]}。"), lang)
        return 1
    try:
        pages = export(notebooks or sorted((PACKAGE / lang).glob("*.ipynb")), folder)
    except NoNotebook as error:
        speak("❌", Says(f"{error} is no notebook.", f"{error} 不是笔记本。"), lang)
        return 1
    except ImportError as error:
        speak("❌", Says(f"{error}: run `minigrad doctor`.", f"{error}：请运行 `minigrad doctor`。"), lang)
        return 1
    speak(
        "📄",
        Says(f"Pages in {folder.resolve()}: {len(pages)}.", f"{folder.resolve()} 里的网页：{len(pages)} 个。"),
        lang,
    )
    return 0


def _where(folder: Path, written: int) -> Says:
    if written:
        return Says(
            f"New in {folder}: {written}. Nothing of yours was changed.",
            f"{folder} 中新增了 {written} 个文件，你原有的文件都没有改动。",
        )
    return Says(f"Your lessons are in {folder}, as you left them.", f"你的课程在 {folder}，和上次离开时一样。")


@contextlib.contextmanager
def _interface(lang: str) -> Iterator[None]:
    """JupyterLab's defaults for this run: no question about news, menus in Chinese where its pack is installed, and
    the kernels' panels beside their notebooks.

    A learner's own settings come before them, and nothing of them is left afterwards.
    """
    defaults = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}
    if lang == "zh":
        defaults["@jupyterlab/translation-extension:plugin"] = {"locale": "zh_CN"}
    with tempfile.TemporaryDirectory(prefix="minigrad-", ignore_cleanup_errors=True) as config:
        overrides = Path(config, "labconfig", "default_setting_overrides.json")
        overrides.parent.mkdir()
        overrides.write_text(json.dumps(defaults), encoding="utf-8")
        before = dict(os.environ)
        os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, [config, before.get("JUPYTER_CONFIG_PATH")]))
        os.environ.setdefault("MINIGRAD_DOCK", "1")
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


if __name__ == "__main__":
    sys.exit(main())
