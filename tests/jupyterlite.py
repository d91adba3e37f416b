"""Without a server, as far as that can be proved here: `python -m tests.jupyterlite`.

1. Python in WebAssembly: Pyodide, a numpy and a Graphviz, all from npm, run in node what a page would run: minigrad,
   the cells of every lesson, `viz.text`, `viz.draw` and `viz.record`; `viz.draw`'s layout against that of this Python's
   Graphviz; `viz.live()` in an IPython shell that nobody shows, where no thread can be had.
2. The site: what docs/jupyterlite.md says is done in an environment of its own; what the built site holds is looked at,
   and a lesson of it is opened in a browser, as far as its kernel.

Anything that does not hold ends the program with the reason.

Needed beside `[test]`: node, npm, Chromium. Everything lies in a temporary folder.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import venv
import zipfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
PHOTO = os.environ.get("MINIGRAD_PHOTO")  # where the open site is to be photographed
# The newest Pyodide for which npm has a numpy that minigrad takes.
PYODIDE, NUMPY = "pyodide@0.25.1", "@emscripten-forge/numpy@2.1.1-py311hc8e14bb-0"
GRAPHVIZ = "@hpcc-js/wasm-graphviz@1.29.2"

IN_PYODIDE = """
import json, pathlib, platform, sys
root = pathlib.Path("/repo")
sys.path[:0] = ["/repo", "/numpy"]
sys.path.append("/site-packages")
import numpy
import minigrad as torch
said = {"python": platform.python_version(), "platform": sys.platform, "numpy": numpy.__version__}
w, x = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)

import viz
viz.options.language = "en"
loss = w * x * w
said["text"] = viz.text(loss)
drawn = viz.draw(loss)
try:
    drawn.svg
except viz.LayoutError as error:
    said["without a Graphviz"] = str(error).partition("\\n")[0]
"""

# The same after the page has put its Graphviz there, by the lines of docs/jupyterlite.md.
WITH_GRAPHVIZ = """
from viz.picture import render
drawn = viz.draw(loss)
said["dot"], said["svg"] = drawn.source, drawn.svg
said["layout"] = render.run(DOT, "json0").decode()
try:
    render.run("digraph {", "json0")
except viz.LayoutError as error:
    said["a mistake"] = str(error).partition("\\n")[0]
with viz.record(loss) as run:
    loss.backward()
said["pass"], said["grad"] = run.text, w.grad.tolist()
run.save("/pass.html")
said["page"] = pathlib.Path("/pass.html").stat().st_size
"""

# A notebook that nobody shows, followed: the picture of a run of quick cells comes from the kernel's loop.
FOLLOWED = """
import asyncio
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.kernel = None  # what tells a notebook from a terminal
shell.user_ns.update(w=w, x=x)
def cell(source):
    shell.run_cell(source, store_history=True).raise_error()
cell("import viz; panel = viz.live()")
panel = shell.user_ns["panel"]
for source in ("z = w * x", "z = z * w", "z.backward()"):
    cell(source)
said["waits"] = panel.follower.soon.waits
for _ in range(100):
    await asyncio.sleep(0.05)
    if not panel.follower.soon.waits:
        break
said["followed"] = not panel.follower.soon.waits and panel.scene["svg"].count("MulBackward0") >= 2
said["steps"] = len(panel.trace["steps"])
panel.follower.stop()
"""

# Each code cell of the English lessons as a learner finds it; its stored outputs tell whether it raises on purpose.
LESSONS = """
said["lessons"], said["unlike"] = {}, []
for path in sorted((root / "minigrad_lessons" / "en").glob("*.ipynb")):
    shell.reset(new_session=True)
    print(path.name, file=sys.stderr)
    cells = [one for one in json.loads(path.read_text())["cells"] if one["cell_type"] == "code"]
    for number, one in enumerate(cells):
        raises = any(output["output_type"] == "error" for output in one["outputs"])
        result = shell.run_cell("".join(one["source"]), store_history=True)
        if (result.error_in_exec is not None) != raises:
            said["unlike"].append(f"{path.name}[{number}]: {result.error_in_exec!r}"[:300])
    said["lessons"][path.name] = len(cells)
json.dumps(said)
"""

NODE = """
import { loadPyodide } from "pyodide";
import { readFileSync } from "node:fs";
const [root, packages, numpy, program, second, lines, live, lessons] = process.argv.slice(2);
process.on("uncaughtException", (error) => { console.error(error.message); process.exit(1); });  // not its source
const python = await loadPyodide();
for (const [place, folder] of [["/repo", root], ["/site-packages", packages], ["/numpy", numpy]]) {
  python.FS.mkdirTree(place);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: folder }, place);
}
// numpy asks libc's backtrace() who uses a large array; this libc has none. A module of one function that finds nobody:
python.FS.writeFile("/backtrace.so", new Uint8Array([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, 15, 8, ...Buffer.from("dylink.0"), 1, 4, 0, 0, 0, 0,
  1, 7, 1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f, 3, 2, 1, 0, 7, 13, 1, 9, ...Buffer.from("backtrace"), 0, 0,
  10, 6, 1, 4, 0, 0x41, 0, 0x0b,
]));
const everywhere = { loadAsync: true, global: true, nodelete: true, fs: python.FS };
await python._module.loadDynamicLibrary("/backtrace.so", everywhere);
python.runPython(readFileSync(program, "utf8"));
await python.runPythonAsync(readFileSync(lines, "utf8"));
python.runPython(readFileSync(second, "utf8"));
python.setStdout({ batched: () => {} });  // what a panel says where nothing shows it
await python.runPythonAsync(readFileSync(live, "utf8"));
console.log(await python.runPythonAsync(readFileSync(lessons, "utf8")));
process.exit(0);
"""


def main() -> None:
    """Read the options and try it."""
    parser = argparse.ArgumentParser(prog="python -m tests.jupyterlite", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=["pyodide", "site"], help="one of the two")
    parser.add_argument("--publish", action="store_true", help="put what is printed into docs/jupyterlite.md")
    options = parser.parse_args()
    if missing := [program for program in ("node", "npm") if shutil.which(program) is None]:
        sys.exit(f"There is no {missing[0]}.")
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "site":
            in_pyodide(Path(folder))
        if options.only != "pyodide":
            site(Path(folder))
    if options.publish and not options.only:
        publish()


SAID: list[str] = []


def say(line: str) -> None:
    """Print a line, and keep it."""
    print(line, flush=True)
    SAID.append(line)


def publish() -> None:
    """Put what was said where the pages have it."""
    said = "\n".join(["<!-- measured -->", "```text", *SAID, "```", "<!-- /measured -->"])
    for name in ("jupyterlite.md", "jupyterlite.zh.md"):
        page = ROOT / "docs" / name
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- measured -->")
        page.write_text(before + said + rest.partition("<!-- /measured -->")[2], encoding="utf-8")


def block(name: str) -> str:
    """The code of docs/jupyterlite.md that stands under a mark."""
    text = (ROOT / "docs" / "jupyterlite.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.DOTALL)
    return found


def call(*command: object, cwd: Path) -> str:
    """What a program prints; where it fails, this one ends with what it said."""
    done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def in_pyodide(folder: Path) -> None:
    """Part 1."""
    from viz.picture import render

    call("npm", "install", "--silent", "--no-audit", "--no-fund", PYODIDE, NUMPY, GRAPHVIZ, cwd=folder)
    packages = folder / "packages"
    only = ["--only-binary=:all:", "--platform", "any", "--implementation", "py", "--python-version", "3.11"]
    wanted = ["graphviz", "ipython", "ipywidgets", "anywidget"]  # what the kernel of a page has, or would be given
    call(sys.executable, "-m", "pip", "install", "-q", "--target", packages, *only, *wanted, cwd=folder)
    dot = (
        "digraph { rankdir=LR; a -> b [id=0]; a -> c [id=1]; b -> d [id=2]; c -> d [id=3]; subgraph cluster_x { c d } }"
    )
    address = (folder / "node_modules" / GRAPHVIZ.rpartition("@")[0] / "dist" / "index.js").as_uri()
    texts = {
        "run.mjs": NODE,
        "first.py": IN_PYODIDE,
        "second.py": f"DOT = {dot!r}\n{WITH_GRAPHVIZ}",
        "lines.py": block("graphviz").replace("ADDRESS", address),
        "live.py": FOLLOWED,
        "lessons.py": LESSONS,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    (numpy,) = (folder / "node_modules" / NUMPY.rpartition("@")[0] / "pkg").glob("*.tar.gz")
    with tarfile.open(numpy) as archive:
        archive.extractall(folder / "numpy", filter="data")
    (site_packages,) = (folder / "numpy" / "lib").glob("python3.*/site-packages")
    files = [folder / name for name in ("first.py", "second.py", "lines.py", "live.py", "lessons.py")]
    printed = call("node", "run.mjs", ROOT, packages, site_packages, *files, cwd=folder)
    said = json.loads(printed.strip().splitlines()[-1])

    say(f"{PYODIDE}: Python {said['python']} on {said['platform']}, numpy {said['numpy']}; minigrad is imported")
    say(f"without a Graphviz of the page: {said['without a Graphviz']}")
    assert said["platform"] == "emscripten"
    assert said["without a Graphviz"].startswith("Graphviz is not installed")
    assert "MulBackward0 -> " in said["text"]
    assert said["svg"].startswith("<svg")
    assert said["svg"].count("MulBackward0") >= 2
    say(f"drawn: viz.text {len(said['text'].splitlines())} lines, svg {len(said['svg'])} characters")
    ours, theirs = render.run(dot, "json0"), said["layout"]
    apart = max(abs(a - b) for a, b in zip(numbers(ours), numbers(theirs), strict=True))
    say(f"the same DOT laid out here and there: {len(numbers(ours))} numbers, {apart:g} points apart at most")
    assert apart < 1
    assert said["a mistake"].startswith("Graphviz failed: ")
    assert said["grad"] == 12.0
    assert "AccumulateGrad" in said["pass"]
    say(f"recorded: w.grad {said['grad']:g}, pass.html {said['page'] // 1024} KB")
    say("\n".join(f"    {line}" for line in said["pass"].splitlines()[:4]))
    assert said["followed"], said
    say(f"viz.live() without a thread: three cells followed, {said['steps']} steps recorded")
    assert not said["unlike"], said["unlike"]
    say(f"lessons: {len(said['lessons'])} notebooks, {sum(said['lessons'].values())} code cells run")


def numbers(layout: str | bytes) -> list[float]:
    """Every place that a layout names, of nodes by name, then of edges by id, then of the whole."""
    said: dict[str, Any] = json.loads(layout)
    objects = sorted(said["objects"], key=lambda one: one["name"])
    edges = sorted(said["edges"], key=lambda one: int(one["id"]))
    texts = [said["bb"], *(one.get("pos") or one["bb"] for one in objects), *(one["pos"] for one in edges)]
    return [float(number) for text in texts for number in re.findall(r"-?[\d.]+(?:e-?\d+)?", text)]


def site(folder: Path) -> None:
    """Part 2."""
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    for line in block("build").splitlines():
        name, *arguments = shlex.split(line.replace("REPOSITORY", str(ROOT)))
        program = programs / name
        call(program if program.exists() else name, *arguments, cwd=folder)
    built = folder / "site"
    lessons = {path.name for path in (ROOT / "minigrad_lessons" / "en").glob("*.ipynb")}
    for lang in ("en", "zh"):
        there = {path.name: path for path in (built / "files" / "lessons" / lang).glob("*.ipynb")}
        assert set(there) == lessons, set(there) ^ lessons
        for path in there.values():
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            assert not any(cell.get("outputs") for cell in cells), f"{path.name} has results in it"
    offered = json.loads((built / "pypi" / "all.json").read_text(encoding="utf-8"))
    wheels = {name: next(iter(said["releases"])) for name, said in offered.items()}
    assert {"minigrad-lessons", "graphviz"} <= set(wheels), wheels
    (wheel,) = built.rglob("minigrad_lessons-*.whl")
    held = zipfile.ZipFile(wheel).namelist()
    assert {"minigrad/__init__.py", "viz/__init__.py", "minigrad_lessons/__init__.py"} <= set(held)
    assert (built / "files" / "graphviz.js").stat().st_size > 100_000
    assert (built / "lab" / "index.html").is_file()
    size = sum(path.stat().st_size for path in built.rglob("*") if path.is_file())
    say(f"site: {len(lessons)} pages in each language, wheels {', '.join(sorted(wheels))}; {size / 1e6:.0f} MB")
    opened(built)


def opened(built: Path) -> None:
    """The site in a browser: it shows a lesson, and asks others only for Pyodide."""
    from playwright.sync_api import sync_playwright

    from tests.browsers import launch, outside

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=built))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        asked = outside(page)
        page.goto(f"http://127.0.0.1:{server.server_port}/lab/index.html?path=lessons/en/01_first_gradient.ipynb")
        page.get_by_role("heading", name="1 · First gradient").wait_for(timeout=120_000)
        if PHOTO:
            page.screenshot(path=PHOTO)
        browser.close()
    server.shutdown()
    hosts = sorted({urlsplit(address).hostname or "" for address in asked})
    say(f"in Chromium: Lesson 1 opens; asked until then, beside the site: {', '.join(hosts) or 'nobody'}")
    assert hosts in ([], ["cdn.jsdelivr.net"]), hosts


if __name__ == "__main__":
    main()
