"""Follows a notebook: what its cells make and what its backward passes do goes to the live panel.

IPython's public events say when a cell begins and ends. Between them two small additions to the code of each cell
(IPython's public AST transformers) say which statement runs, and let a call of ``backward`` or ``grad`` go through
`Follower.call`, which records it when the panel is due for something new. Neither minigrad nor PyTorch is touched, and
`stop` takes everything back. A clock of its own makes it look in on cells that run long without a backward pass.

Nothing here may cost a training loop more than a tenth of its time: after each piece of work the next one waits 40
times as long as that took. Jupyter drops messages above about 1 MB/s, so large pictures come less often.
"""

from __future__ import annotations

import ast
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from types import FrameType
from typing import Any

from IPython.display import display

from .errors import first_line
from .fold import View
from .html import as_html
from .main_thread import Soon
from .names import is_tensor, named_tensors, tensors_of_functions
from .order import is_accumulate
from .pause import collector_paused
from .record import record, stopped
from .scene import Scenes, key_of
from .widget import LivePanel

_NAME = "_viz_live"  # what the added code calls; a leading underscore keeps it out of the learner's variables
_PAUSE = 0.1  # seconds between two pictures, at least
_SHARE = 40  # times as long as a piece of work took, the next one waits
_BYTES = 400_000  # a second
_STEP_BYTES = 600  # of a trace, about
_PATIENCE = 0.3  # seconds without a backward pass after which the thread looks in on a running cell
_TWIN = 0.7  # seconds after a cell until the still picture is brought up to date: the page has the live one to draw
_LOSSES = 600
_ORIGINS = 200_000  # nodes whose line is remembered


class Follower:
    """Keeps one panel up to date with one notebook."""

    def __init__(self, shell: Any, panel: LivePanel) -> None:
        self.shell = shell
        self.panel = panel
        self.scenes = Scenes(View(), origin=self._origin_of)
        self.running = False
        self._origins: dict[tuple[int, str], str] = {}
        self._leaves: dict[str, str] = {}  # the leaves that names stood for when the last cell ended
        self._lock = threading.RLock()  # the clock's thread looks between cells, no cell begins meanwhile
        self._inside = 0  # above 0 while nobody may look in: a pass runs, or somebody is looking already
        self._peek = Soon(self._look_in)
        self._next = 0.0  # when the next picture may be made
        self._sendable = 0.0  # when, if the kernel has nothing else to do
        self._cell_ended = 0.0
        self._looked = 0.0
        self._busy = False
        self.waiting = False  # there is a picture that comes a moment later
        self._awake = threading.Event()  # there may be something to wait for
        self._ended = threading.Event()  # of the clock that runs now
        self._twin: Any = None
        self._twin_text = ""
        self._twin_at: float | None = None  # when it is due
        self._current: _Statement | None = None
        self._passes = 0
        self._called: set[str] = set()  # the calls of this cell that have run: once more is a loop
        self._plain = 0.0  # seconds that the last pass took which was not recorded
        self.cell: int | None = None  # the number of the cell that runs or has run, as in In [5]
        self._marks = _Marks(self)
        panel.on_msg(self._message)

    # -- beginning and ending ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Follows from now on."""
        if self.running:
            return
        self.running = self.panel.following = True
        self.shell.events.register("pre_run_cell", self._before_cell)
        self.shell.events.register("post_run_cell", self._after_cell)
        self.shell.ast_transformers.append(self._marks)
        self.cell = self._cells() - 1
        self._leaves = self._leaves_of(self._named())
        self._offer_name(self)
        self._ended = threading.Event()
        threading.Thread(target=self._tick, args=(self._ended,), name="viz.live", daemon=True).start()

    def stop(self) -> None:
        """Follows no more; the panel stays and shows the last state."""
        if not self.running:
            return
        if self.waiting:
            self._look()
        if self._twin_at:
            self._update_twin()
        self.running = self.panel.following = self._busy = False
        self._ended.set()
        self._awake.set()
        self.shell.events.unregister("pre_run_cell", self._before_cell)
        self.shell.events.unregister("post_run_cell", self._after_cell)
        self.shell.ast_transformers.remove(self._marks)
        self._offer_name(_Nobody())  # functions that were defined meanwhile go on calling it

    def show(self) -> None:
        """Shows the panel in the cell that is running, and below it what will be seen without it."""
        self._look()
        display(self.panel)
        self.panel.shown_in(self.cell)  # `viz.live()` as the last line of the cell shows no second one
        self._twin = display(self._still(), raw=True, display_id=True)

    def _cells(self) -> int:
        """How many cells IPython has been given, plus one. (Its own count goes up before or after one, by version.)"""
        return len(self.shell.history_manager.input_hist_parsed)

    def _offer_name(self, follower: Any) -> None:
        self.shell.user_ns[_NAME] = self.shell.user_ns_hidden[_NAME] = follower

    # -- a cell runs ---------------------------------------------------------------------------------------------

    def _before_cell(self, info: Any) -> None:
        with self._lock:
            self._offer_name(self)
            if self.waiting:  # nobody has looked since the last cell ended
                self._leaves = self._leaves_of(self._named())
            self.cell = self._cells()
            self._marks.begin(str(info.raw_cell or ""))
            self._current, self._passes, self._inside = None, 0, 0
            self._called, self._plain = set(), 0.0
            self._busy, self._looked = True, time.monotonic()
        self._awake.set()

    def _after_cell(self, result: Any) -> None:
        self._busy = False
        self._cell_ended = time.monotonic()
        with self._undisturbed():
            self._mark()
            if self._cell_ended < self._next - _PAUSE:  # a run of quick cells: the last one's picture comes in a moment
                self.waiting = True
                self._awake.set()
            else:
                self._look()
            if not self._passes:
                self.panel.view = "live"
            self._current = None

    def at(self, table: int, position: int) -> None:
        """Called by a cell's code before its statement `position`: the one before it has run."""
        with self._undisturbed():
            self._mark()
            self._current = self._marks.tables[table][position]

    def call(self, text: str, where: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Called by a cell's code instead of `function`, whose name is ``backward`` or ``grad``."""
        __tracebackhide__ = True
        self._passes += 1
        began = time.monotonic()
        if began < self._next and where + text in self._called:
            self._inside += 1
            try:
                result = function(*args, **kwargs)
                self._plain = time.monotonic() - began
                return result
            except Exception as error:
                if (outputs := _outputs_of(function, args, kwargs)) is not None:
                    self._show_pass(stopped(_with_graph(outputs), error), began, outputs, text, where, sys._getframe(1))
                raise
            finally:
                self._inside -= 1
        self._called.add(where + text)
        outputs = _outputs_of(function, args, kwargs)
        if outputs is None or threading.current_thread() is not threading.main_thread():
            return function(*args, **kwargs)
        with self._undisturbed():
            run = record(*_with_graph(outputs))
            try:
                with run:
                    return function(*args, **kwargs)
            finally:
                self._show_pass(run, began, outputs, text, where, sys._getframe(1))

    def _show_pass(
        self, run: record, began: float, outputs: list[Any], text: str, where: str, caller: FrameType
    ) -> None:
        try:
            named = self._named(caller)
            self._mark(named)
            scene, places = self.scenes.scene(named, outputs=run.outputs, watched=run, cell=self.cell)
            if self._passes > 1:
                text = f"{text}  #{self._passes}"
            trace = self.scenes.trace(run, scene, places, text, self.cell, where)
        except Exception as error:  # the learner's program goes on, whatever happens to its picture
            self._complain(error)
            return
        losses = self.panel.losses if self._passes > 1 else []
        if len(outputs) == 1 and (value := _number(outputs[0])) is not None:
            losses = [*(losses[::2] if len(losses) >= _LOSSES else losses), [self._passes, value]]
        with self.panel.hold_sync():
            self.panel.trace, self.panel.losses = trace, losses
            self.panel.view, self.panel.step = "pass", len(trace["steps"])
        self._looked = time.monotonic()
        self._rest(began + self._plain)

    # -- looking -------------------------------------------------------------------------------------------------

    def _look(self, running: FrameType | None = None) -> None:
        """Makes the scene of all variables, those of the functions that are `running` among them, and sends it if it
        differs from the last one."""
        with self._undisturbed(), collector_paused():  # what it takes comes after the picture
            began = self._looked = time.monotonic()
            self.waiting = False
            try:
                named = self._named()
                moved = self._moved(named)
                if not self._busy:
                    self._leaves = self._leaves_of(named)
                named = self._named(running) if running else named
                scene, _ = self.scenes.scene(named, moved=moved, cell=self.cell, busy=self._busy)
            except Exception as error:
                self._complain(error)
                return
            if not _alike(self.panel.scene, scene):
                self.panel.scene = scene
            self._rest(began)
            if not self._busy and self._twin is not None:
                self._twin_at = time.monotonic() + _TWIN
                self._awake.set()

    def _named(self, running: FrameType | None = None) -> list[tuple[str, Any]]:
        """The notebook's tensors by name; then those that only a function knows which is `running`."""
        named = named_tensors(self.shell.user_ns)
        known = {id(tensor) for _, tensor in named}
        inside = tensors_of_functions(running, self.shell.user_ns)
        return named + [pair for pair in inside if id(pair[1]) not in known]

    def _leaves_of(self, named: Iterable[tuple[str, Any]]) -> dict[str, str]:
        return {name: self.scenes.ids.of_tensor(t) for name, t in named if t.requires_grad and t.grad_fn is None}

    def _moved(self, named: Iterable[tuple[str, Any]]) -> list[tuple[str, str, Any]]:
        """The names that stood for a leaf when the last cell ended, and stand for another tensor that is computed from
        something."""
        found = []
        for name, tensor in named:
            before = self._leaves.get(name)
            if before and tensor.grad_fn is not None:
                found.append((name, before, tensor))
        return found

    def _rest(self, began: float) -> None:
        now, scene, trace = time.monotonic(), self.panel.scene, self.panel.trace
        size = 2 * sum(len(s["svg"]) for s in (scene, trace and trace["scene"]) if s)
        size += _STEP_BYTES * len(trace["steps"]) if trace else 0
        self._next = now + max(_PAUSE, _SHARE * (now - began), size / _BYTES)
        self._sendable = now + size / _BYTES / 2

    def _tick(self, ended: threading.Event) -> None:
        """The clock: has the main thread look in on a cell that has run for a while; sends what had to wait. It sleeps
        until something is due: each time it wakes, the program stops for a moment."""
        while not ended.is_set():
            due = self._due()
            left = None if due is None else due - time.monotonic()
            if left is None or left > 0:
                self._awake.wait(left)
                self._awake.clear()
                continue
            if self._busy:
                self._peek.ask()
            elif self._lock.acquire(blocking=False):
                try:
                    if self.waiting and not self._busy:
                        self._look()
                    elif self._twin_at and not self._busy:
                        self._update_twin()
                finally:
                    self._lock.release()
            time.sleep(_PAUSE / 2)

    def _due(self) -> float | None:
        """When the clock has something to do next."""
        if self._busy:
            return max(self._next, self._looked + _PATIENCE)
        if self.waiting:  # nobody is held up by a picture between two cells
            return min(self._next, max(self._sendable, self._cell_ended + _PAUSE))
        return self._twin_at

    def _look_in(self) -> None:
        if self._busy and not self._inside:
            self._look(sys._getframe(1))

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        with self._lock:
            self._inside += 1
            try:
                yield
            finally:
                self._inside -= 1

    def _complain(self, error: Exception) -> None:
        self._looked = self._next = time.monotonic() + 1.0
        text = first_line(error)
        scene = self.panel.scene
        if scene is None:
            scene = self.scenes.scene([])[0]
        note = {"en": f"This picture is old: {text}", "zh": f"这幅图不是最新的：{text}"}
        self.panel.scene = {**scene, "note": note}

    def _message(self, panel: LivePanel, content: dict[str, Any], buffers: Any) -> None:
        view = self.scenes.view
        kind, node_id = content.get("type"), content.get("id")
        if kind == "unfold" and isinstance(node_id, str):
            self.scenes.view = replace(view, unfold=(*view.unfold, node_id))
        elif kind == "fold":
            self.scenes.view = replace(view, unfold=())
        elif kind == "check":
            self._send_again(content)
            return
        else:
            return
        panel.view = "live"
        self._look()

    def _send_again(self, seen: dict[str, Any]) -> None:
        """Answers a panel that tells which scene and pass it has seen: Jupyter drops messages where a cell prints much,
        and a panel in a notebook that is opened again may belong to a kernel of long ago."""
        panel = self.panel
        if panel.scene is not None and seen.get("scene") != panel.scene["serial"]:
            panel.send_state(("scene", "view"))
        if panel.trace is not None and seen.get("trace") != panel.trace["serial"]:
            panel.send_state(("trace", "losses", "view", "step"))
        panel.send({"type": "here"})

    # -- which line made a node ----------------------------------------------------------------------------------

    def _origin_of(self, node: Any) -> str:
        return self._origins.get(key_of(node), "")

    def _mark(self, named: Iterable[tuple[str, Any]] | None = None) -> None:
        """Remembers the line of the statement that has just run, or runs, for the nodes that are new since."""
        statement = self._current
        if statement is None:
            return
        if len(self._origins) > _ORIGINS:
            self._origins.clear()
        by_name = dict(reversed(list(self._named() if named is None else named)))
        for name, where in sorted(statement.names.items(), key=lambda item: item[1][0]):
            if name in by_name:
                self._mark_from([by_name[name]], where[1])
        self._mark_from(by_name.values(), statement.where)

    def _mark_from(self, tensors: Iterable[Any], where: str) -> None:
        unvisited = [tensor.grad_fn for tensor in tensors if tensor.grad_fn is not None]
        while unvisited:
            node = unvisited.pop()
            key = key_of(node)
            if key not in self._origins:
                self._origins[key] = where
                unvisited += [n for n, _ in node.next_functions if n is not None and not is_accumulate(n)]

    # -- what is seen where there is no kernel -------------------------------------------------------------------

    def _still(self) -> dict[str, str]:
        """The last state as picture and text, for a notebook that is read without a kernel. A live panel hides it."""
        scene = self.panel.scene
        if scene is None or not scene["svg"]:
            return {"text/plain": "viz.live(): no graph yet", "text/html": '<div class="viz-twin"></div>'}
        when = (
            f"As it was after In [{scene['cell']}]; for the live panel, run the notebook. "
            f"In [{scene['cell']}] 运行之后的样子；要看实时面板，请重新运行笔记本。"
        )
        html = f'<div class="viz-twin">{as_html(scene["svg"], scene["text"])}<p><small>{when}</small></p></div>'
        return {"text/plain": f"{scene['text']}\n\n{when}", "image/svg+xml": scene["svg"], "text/html": html}

    def _update_twin(self) -> None:
        self._twin_at = None
        scene = self.panel.scene
        if self._twin is not None and scene is not None and scene["text"] != self._twin_text:
            self._twin_text = scene["text"]
            self._twin.update(self._still(), raw=True)


class _Nobody:
    """Takes the place of a `Follower` that has stopped."""

    def at(self, table: int, position: int) -> None:
        """Nobody wants to know."""

    def call(self, text: str, where: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Just the call."""
        __tracebackhide__ = True
        return function(*args, **kwargs)


class _Statement:
    """A statement of a cell: `where` it stands, and where in it each of `names` is assigned: (line, text)."""

    def __init__(self, statement: ast.stmt, where: Callable[[int], str]) -> None:
        self.where = where(statement.lineno)
        self.names: dict[str, tuple[int, str]] = {}
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.names[node.id] = (node.lineno, where(node.lineno))


class _Marks(ast.NodeTransformer):
    """Adds to a cell's code what tells a `Follower` where it is."""

    def __init__(self, follower: Follower) -> None:
        self.follower = follower
        self.begin("")

    def begin(self, cell: str) -> None:
        """The next code to visit is that of `cell`; a magic like ``%%time`` brings the code inside it once more."""
        self.lines = cell.splitlines()
        # IPython takes empty lines off the top before it counts
        self.above = next((i for i, line in enumerate(self.lines) if line.strip()), 0)
        self.tables: list[list[_Statement]] = []

    def visit_Module(self, module: ast.Module) -> ast.Module:
        """Each statement is announced before it runs; the nodes inside are visited first."""
        statements = [_Statement(statement, self._where) for statement in module.body]
        self.generic_visit(module)
        number = len(self.tables)
        self.tables.append(statements)
        body: list[ast.stmt] = []
        for position, statement in enumerate(module.body):
            if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
                body.append(_at(self._calling("at", ast.Constant(number), ast.Constant(position)), statement))
            body.append(statement)
        module.body = body
        return module

    def visit_Call(self, call: ast.Call) -> ast.AST:
        """``loss.backward()`` becomes ``follower.call("loss.backward()", "In [3], line 2: …", loss.backward)``."""
        text = ast.unparse(call)
        self.generic_visit(call)
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
        if name not in ("backward", "grad"):
            return call
        where = ast.Constant(self._where(call.lineno))
        instead = self._calling("call", ast.Constant(text), where, call.func, *call.args)
        instead.keywords = call.keywords
        return ast.fix_missing_locations(ast.copy_location(instead, call))

    def _where(self, line: int) -> str:
        line += self.above
        code = self.lines[line - 1].strip() if line <= len(self.lines) else ""
        return f"In [{self.follower.cell}], line {line}: {code}"

    @staticmethod
    def _calling(method: str, *args: ast.expr) -> ast.Call:
        function = ast.Attribute(ast.Name(_NAME, ast.Load()), method, ast.Load())
        return ast.Call(function, list(args), [])


def _at(call: ast.Call, statement: ast.stmt) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), statement))


def _outputs_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
    """The tensors that a backward pass is asked of; None where the call is no such thing."""
    owner = getattr(function, "__self__", None)
    asked = owner if is_tensor(owner) else args[0] if args else kwargs.get("tensors", kwargs.get("outputs"))
    outputs = list(asked) if isinstance(asked, (tuple, list)) else [asked]
    return outputs if outputs and all(map(is_tensor, outputs)) else None


def _with_graph(tensors: list[Any]) -> list[Any]:
    return [tensor for tensor in tensors if tensor.grad_fn is not None]


def _alike(old: dict[str, Any] | None, new: dict[str, Any]) -> bool:
    """Whether two scenes show the same."""
    if old is None or old["busy"] != new["busy"]:
        return False
    return all(old[key] == new[key] for key in ("svg", "nodes", "edges", "moved", "note"))


def _number(tensor: Any) -> float | None:
    """The one number in a tensor; None for more than one, none that can be read, and inf and nan: JSON has no such."""
    try:
        value = float(tensor.detach().item())
    except Exception:
        return None
    return value if isfinite(value) else None
