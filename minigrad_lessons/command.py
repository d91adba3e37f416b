"""The ``minigrad`` command: ``lab`` opens the lessons, ``export`` writes them as pages, ``doctor`` says what is
missing; for a teacher, ``solutions`` writes them solved, and ``report`` who of a class is where."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib.metadata
import io
import json
import locale
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from minigrad_lessons import doctor, names, teaching
from minigrad_lessons.copies import PACKAGE, RECORD, Copied, copy_lessons
from minigrad_lessons.language import LANGUAGES, Says, speak
from minigrad_lessons.progress import first_unfinished

#: Where `minigrad lab` puts them if nobody names another folder.
LESSONS = Path("minigrad-lessons")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot write ✅ or 中文 shows ? and goes on
    parser = _parser(_asked(arguments) or system_language())
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "lab":
        options.parser.error(f"unrecognized arguments: {' '.join(rest)}")
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


class _Parser(argparse.ArgumentParser):
    """One whose help is in the reader's language."""

    lang = "en"

    def format_help(self) -> str:
        return self._said(super().format_help())

    def format_usage(self) -> str:
        return self._said(super().format_usage())

    def error(self, message: str) -> NoReturn:
        wrong = Says(f"error: {message}", f"错误：{self._said(message)}")
        self.exit(2, f"{self.format_usage()}{self.prog}: {getattr(wrong, self.lang)}\n")

    def _said(self, text: str) -> str:
        for english, chinese in _ARGPARSE.items() if self.lang == "zh" else ():
            text = re.sub(english, chinese, text)
        return text


#: What argparse says by itself.
_ARGPARSE = {
    "usage: ": "用法：",
    "positional arguments:": "参数：",
    "options:": "选项：",
    "show this help message and exit": "显示这段帮助并退出",
    "show program's version number and exit": "显示版本号并退出",
    "unrecognized arguments: ": "没有这样的参数：",
    "the following arguments are required: ": "缺少参数：",
    r"argument ([^:]+): invalid choice: (.+?) \(choose from (.+)\)": r"参数 \1 不能是 \2，只能从这些里选：\3",
    r"\bcommand\b": "命令",
    "argument ([^:]+): expected (?:at least )?one argument": r"参数 \1 后面要写一个值",
}


def _asked(arguments: Sequence[str]) -> str | None:
    """The language that ``--lang`` names, before anything else is read: the help is in it, too."""
    named = re.search(r"(?:^|\n)--lang[=\n](en|zh)(?:\n|$)", "\n".join(arguments))
    return named and named[1]


def _parser(lang: str) -> _Parser:
    def says(english: str, chinese: str) -> str:
        return {"en": english, "zh": chinese}[lang]

    _Parser.lang = lang
    parser = _Parser(prog="minigrad", description=says("Watch autograd think.", "看得见的自动求导。"))
    parser.add_argument("--version", action="version", version=f"%(prog)s {_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    lab = commands.add_parser(
        "lab",
        help=says("copy the lessons here and open JupyterLab", "把课程复制到这里，并打开 JupyterLab"),
        description=says(
            "Copy the lessons into a folder here (a lesson that you have edited is never overwritten) and open "
            "JupyterLab at the first unfinished one. Other options go to JupyterLab, such as --no-browser.",
            "把课程复制到你的工作目录（改过的课绝不覆盖），并在 JupyterLab 里打开第一节没做完的课。"
            "其余选项（如 --no-browser）原样交给 JupyterLab。",
        ),
    )
    pages = commands.add_parser(
        "export",
        help=says("write lessons as web pages that need no network", "把课程导出成不联网也能看的网页"),
        description=says(
            "Write notebooks as web pages: every picture and output in them, nothing fetched from the network.",
            "把笔记本导出成网页：图和输出都在里面，打开时不联网。",
        ),
    )
    pages.add_argument(
        "notebooks",
        nargs="*",
        type=Path,
        help=says("which notebooks (default: all lessons)", "哪些笔记本（默认全部课程）"),
    )
    examine = commands.add_parser("doctor", help=says("say what is missing, and how to get it", "检查缺什么、怎样补上"))
    solved = commands.add_parser(
        "solutions",
        help=says("for a teacher: the lessons, each exercise solved", "给老师：每道练习都已写好答案的课程"),
        description=says(
            "Write the lessons with a solution in each exercise's cell, in both languages, into a new or empty folder.",
            "把课程写到一个新目录或空目录里，两种语言都有，每道练习的单元格里都已填好答案。",
        ),
    )
    solved.add_argument("folder", type=Path, help=says("a new or empty folder", "新目录或空目录"))
    class_ = commands.add_parser(
        "report",
        help=says("for a teacher: how far each learner is", "给老师：每个人学到哪里了"),
        description=says(
            "Look up which exercises are solved in the lessons below these folders, and write a table (report.csv) "
            "and a page (report.html). Each learner has the name of their folder.",
            "读取各目录下课程的完成情况，写出一张表（report.csv）和一个网页（report.html）；姓名就是目录名。",
        ),
    )
    class_.add_argument(
        "folders",
        nargs="+",
        type=Path,
        help=says("everybody's folders, or one that holds them all", "各人的目录，或它们的上级目录"),
    )
    for command, place in ((lab, LESSONS), (pages, "minigrad-pages"), (class_, "minigrad-report")):
        command.add_argument(
            "--dir",
            type=Path,
            default=Path(place),
            help=says("where to write them (%(default)s)", "写到哪个目录（%(default)s）"),
        )
    spoken = {"choices": LANGUAGES, "help": says("en or zh (default: your system's)", "语言，默认随系统")}
    parser.add_argument("--lang", **spoken)
    both = says("one language alone (default: both)", "只要一种语言（默认两种都要）")
    pages.add_argument("--lang", default=argparse.SUPPRESS, choices=LANGUAGES, help=both)
    for command in (lab, pages, examine, solved, class_):
        command.set_defaults(parser=command)
    for command in (lab, examine, solved, class_):
        command.add_argument("--lang", default=argparse.SUPPRESS, **spoken)  # else None in place of what came before
    return parser


def _run(options: argparse.Namespace, rest: Sequence[str], lang: str) -> int:
    try:
        if options.command == "doctor":
            return doctor.main(lang)
        if options.command == "export":
            return write_pages(options.notebooks, options.dir, options.lang)
        if options.command == "solutions":
            return write_solutions(options.folder, lang)
        if options.command == "report":
            return write_report(options.folders, options.dir, lang)
        return open_lab(options.dir, lang, rest)
    except BrokenPipeError:
        raise
    except OSError as error:
        return refuse(_refused(error, getattr(options, "dir", None) or getattr(options, "folder", Path())), lang)


def _version() -> str:
    try:
        return importlib.metadata.version("minigrad-lessons")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _refused(error: OSError, folder: Path) -> Says:
    """What the system refused, in a sentence; `folder` was to be written."""
    if error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", None)):
        here = folder.absolute()
        return Says(f"There is no more room on the disk of {here}.", f"{here} 所在的磁盘没有空间了。")
    if error.filename is None:
        return Says(f"{error}.", f"{error}。")
    path = Path(error.filename).absolute()
    if isinstance(error, FileExistsError | NotADirectoryError):
        file = next((part for part in (path, *path.parents) if os.path.isfile(part)), path)
        return Says(f"{file} is a file where a folder is needed.", f"{file} 是文件，而这里需要一个文件夹。")
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return Says(
            f"There is no permission for {path}: use a folder of your own.",
            f"没有权限访问 {path}：请换一个你自己的目录。",
        )
    return Says(f"{path} cannot be used: {error.strerror}.", f"无法使用 {path}：{error.strerror}。")


def system_language() -> str:
    """``zh`` where the system speaks Chinese, otherwise ``en``; ``MINIGRAD_LANG`` decides before it."""
    for name in ("MINIGRAD_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if spoken := os.environ.get(name):
            return "zh" if spoken.lower().startswith("zh") else "en"
    return "zh" if (locale.getlocale()[0] or "").startswith(("zh", "Chinese")) else "en"


def open_lab(folder: Path, lang: str, more: Sequence[str]) -> int:
    """Copy the lessons to `folder` and run JupyterLab there until it is closed. `more` are JupyterLab's options."""
    try:
        from jupyterlab.labapp import LabApp
    except ImportError as error:
        if (error.name or "").startswith("jupyterlab"):
            return missing("JupyterLab", "jupyterlab", lang)
        en = f"JupyterLab cannot start: {error}; see `minigrad doctor`."
        return refuse(Says(en, f"JupyterLab 无法启动：{error}；请运行 `minigrad doctor`。"), lang)
    if not {"--help-all", "--version", "-V", "--generate-config"}.isdisjoint(more):  # it answers, and does no more
        LabApp.launch_instance(argv=list(more))
        return 0
    if more and not more[0].startswith("-") and not Path(more[0]).exists():
        said = Says(f"There is no {more[0]}.", f"找不到 {more[0]}。")
        if not Path(more[0]).suffix:
            said = Says(
                f"{said.en} To have the lessons in a folder of that name, write --dir {more[0]}.",
                f"{said.zh}想把课程放到这个目录里，请写 --dir {more[0]}。",
            )
        return refuse(said, lang)
    if unknown := unknown_option(more):
        return refuse(Says(f"JupyterLab has no option {unknown}.", f"JupyterLab 没有 {unknown} 这个选项。"), lang)
    folder = _begun(folder).resolve()
    copied = copy_lessons(folder)
    lesson = first_unfinished(folder / "lessons" / lang)
    if more and (asked := Path(more[0]).resolve()).suffix == ".ipynb" and asked.is_relative_to(folder):
        lesson, more = asked, more[1:]
    for says in _where(folder, copied):
        speak("📁", says, lang)
    if lang == "zh" and not doctor.there(doctor.MENUS):
        menus = doctor.install(doctor.MENUS)
        speak("🀄", Says(f"JupyterLab's menus in Chinese: {menus}", f"想要中文菜单，请运行：{menus}"), lang)
    speak("▶ ", Says(f"Opening {lesson.name}. Ctrl+C ends it.", f"正在打开 {lesson.name}。按 Ctrl+C 结束。"), lang)
    sys.stdout.flush()  # before what JupyterLab writes
    argv = [
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.default_url=/lab/tree/{quote(lesson.relative_to(folder).as_posix())}",  # the address it prints, too
        "--ServerApp.answer_yes=True",  # one Ctrl+C, and no question
        f"--LabApp.extra_labextensions_path={extensions()}",  # an editable install has it nowhere else
        *more,
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        argv.insert(0, "--allow-root")  # in containers the learner is root
    if not any(re.match("--(log-level|debug|Application.log_level)", option) for option in more):
        argv.append("--Application.log_level=ERROR")  # the addresses are said at any level
    if not any("transport_encryption" in option for option in more):
        argv.append("--KernelManager.transport_encryption=auto")  # else each kernel warns, where Jupyter can
    with _interface(lang):
        LabApp.launch_instance(argv=argv)
    return 0


def _begun(folder: Path) -> Path:
    """Where the lessons go; the command may be typed inside of those that it has copied: then these, as they are left.

    Others would be begun anew inside of them.
    """
    home = here.parent if (here := Path.cwd()).name in LANGUAGES else here
    home = home.parent if home.name == "lessons" else home
    return home if folder == LESSONS and not folder.exists() and (home / RECORD).is_file() else folder


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


def write_pages(notebooks: Sequence[Path], folder: Path, asked: str | None) -> int:
    """Write `notebooks` as pages into `folder`. Without any, all lessons of the language that was asked for, or the
    site of both where none was."""
    lang = asked or system_language()
    if taken := names.taken(Path()):
        return refuse(names.in_the_way(taken[0]), lang)
    # here, for they import what a file of that name stands in the way of: the doctor must live to say so
    from minigrad_lessons.export import NoNotebook, export
    from minigrad_lessons.site import write_site

    if wrong := next((notebook for notebook in notebooks if not notebook.is_file()), None):
        if wrong.is_dir():
            said = Says(f"{wrong} is a folder: name its notebooks.", f"{wrong} 是目录：请写出其中的笔记本。")
        else:
            said = Says(f"There is no notebook {wrong}.", f"找不到笔记本 {wrong}。")
        return refuse(said, lang)
    try:
        if notebooks or asked:
            pages = export(notebooks or sorted((PACKAGE / lang).glob("*.ipynb")), folder)
        else:
            pages = write_site(folder)
    except NoNotebook as error:
        return refuse(Says(f"{error} is not a notebook.", f"{error} 不是笔记本。"), lang)
    except ImportError as error:
        absent = "graphviz" if error.name == "graphviz" else "nbconvert"
        return missing(absent, absent, lang)
    speak(
        "📄",
        Says(f"Pages in {folder.resolve()}: {len(pages)}.", f"{folder.resolve()} 里的网页：{len(pages)} 个。"),
        lang,
    )
    return 0


def write_solutions(folder: Path, lang: str) -> int:
    """Write the lessons, solved, into a folder that holds nothing yet."""
    if folder.exists() and any(folder.iterdir()):
        return refuse(
            Says(
                f"{folder} is not empty: solutions need a folder of their own.",
                f"{folder} 不是空目录：答案要放在单独的目录里。",
            ),
            lang,
        )
    try:
        copy_lessons(folder, teaching.solve)
    except BaseException:  # it was empty, and is again
        shutil.rmtree(folder, ignore_errors=True)
        raise
    here = folder.resolve() / "lessons"
    speak("📄", Says(f"Solved lessons in {here}.", f"写好答案的课程在 {here}。"), lang)
    return 0


def write_report(folders: Sequence[Path], where: Path, lang: str) -> int:
    """Write who is where, as a table and as a page, into `where`."""
    absent = [folder for folder in folders if not folder.is_dir()]
    if absent:
        if absent[0].exists():
            said = Says(
                f"{absent[0]} is a file: name the folder that holds it.", f"{absent[0]} 是文件：请写出它所在的目录。"
            )
        else:
            said = Says(f"There is no folder {absent[0]}.", f"找不到目录 {absent[0]}。")
        return refuse(said, lang)
    found = teaching.learners(folders)
    if not found:
        said = Says(
            "There are no lessons in these folders: a learner's holds minigrad-progress.json or the lessons.",
            "这些目录里没有找到任何人的课程：每人的目录里应有 minigrad-progress.json 或课程的笔记本。",
        )
        refuse(said, lang)
        _not_read(folders, lang)
        return 2
    where.mkdir(parents=True, exist_ok=True)
    (where / "report.csv").write_bytes(teaching.as_csv(found))
    (where / "report.html").write_bytes(teaching.as_page(found, lang))
    here, count = where.resolve(), len(found)
    says = Says(
        f"report.csv and report.html are in {here}; people: {count}.",
        f"{here} 里有 report.csv 和 report.html，共 {count} 人。",
    )
    speak("📄", says, lang)
    _not_read(folders, lang)
    return 0


def _not_read(folders: Sequence[Path], lang: str) -> None:
    """Name what may be somebody's and is not in the report."""
    if unread := teaching.overlooked(folders):
        names = [str(path) for path in unread]
        speak("⚠️", Says(f"Not read: {', '.join(names)}", f"没有读入：{'、'.join(names)}"), lang)


def refuse(says: Says, lang: str) -> int:
    """One sentence about what cannot be done; nothing has been written."""
    speak("❌", says, lang)
    return 2


def missing(name: str, distribution: str, lang: str) -> int:
    """What is not installed, and the line that brings it."""
    cure = doctor.cure(distribution)
    return refuse(Says(f"{name} is missing; {cure.en}", f"缺少 {name}；{cure.zh}"), lang)


def _where(folder: Path, copied: Copied) -> Iterator[Says]:
    if copied.new:
        count = len(copied.new)
        yield Says(
            f"New in {folder}: {count}. None of your files was changed.",
            f"{folder} 中新增了 {count} 个文件，你原有的文件都没有改动。",
        )
    else:
        yield Says(f"Your lessons are in {folder}, as you left them.", f"你的课程在 {folder}，和上次离开时一样。")
    if copied.refreshed:
        count = len(copied.refreshed)
        yield Says(
            f"Updated, since you had not edited them: {count}.",
            f"你没有改过的文件，有 {count} 个已更新到新版本。",
        )
    if copied.kept:
        names = [path.relative_to(folder).as_posix() for path in copied.kept]
        yield Says(
            f"Newer than yours, which you have edited: {', '.join(names)}. Yours stays; rename it to get the new one.",
            f"新版本改动了 {'、'.join(names)}，而你编辑过：保留你的版本。想要新版本，请先给你的文件改名。",
        )


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
