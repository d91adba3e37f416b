"""Follows a notebook: what its cells make and what its backward passes do goes to the live panel.

IPython's public events say when a cell begins and ends. Between them the additions of `marks` to the code of each cell
say which statement runs, and hand each call of ``backward`` or ``grad`` to the `Follower`, which records it when the
panel is due for something new. Neither minigrad nor PyTorch is touched, and `stop` takes everything back. A clock of
its own makes it look in on cells that run long without a backward pass.

Three ceilings hold it back. Inside a loop it rests 40 times as long as its last piece of work took; between two
statements, 9 times. Graphs of more than `_FOLLOWED` operations are not looked at, and of a pass through more than
`_STEPS` only its start and what the leaves get are recorded. And large pictures are sent less often.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import inf, isfinite
from types import FrameType
from typing import Any

from IPython.display import display

from ..language import Words, first_line, words
from ..model.names import library_of, named_tensors, tensors_of_functions
from ..model.protocol import Lacks, is_tensor
from ..model.reader import collector_paused
from ..model.values import number
from ..picture.fold import View
from ..picture.render import is_laying_out
from .ceiling import Ceiling
from .failed import Failed, failed
from .marks import NAME, NOBODY, Marks, Origins, Statement
from .pace import PATIENCE, PAUSE, Clock, Pace, Soon
from .replay import numbers
from .scene import Scenes, ghosts, once
from .steps import Recording, stopped
from .tried import Program
from .widget import LivePanel, Twin

_FOLLOWED = 5_000  # operations: half a second to read, and far from what overruns a stack (see `Ceiling`)
_STEPS = 500  # operations of a pass that is recorded step by step: half a second, half a megabyte
_BETWEEN = 9  # the same between two statements of a cell, of which there are few
_COLD = 0.5  # seconds to wait at most after the first pass of a cell, which takes longer than all others
_CURVE = 600  # losses
_STEP_BYTES = 600  # of a trace, about
_LAYOUT = 5.0  # seconds that laying out may take


Call = tuple[str, str]  # of a pass: the text of it, and where it stands


class Follower:
    """Keeps one panel up to date with one notebook."""

    def __init__(self, shell: Any, panel: LivePanel) -> None:
        self.shell = shell
        self.panel = panel
        self._marks = Marks()
        self.scenes = Scenes(
            View(), timeout=_LAYOUT, origin=lambda thing: self._origins.of(thing), codes=self._marks.codes
        )
        self.running = False
        self._ceiling = Ceiling(_FOLLOWED)
        self._refused: dict[str, str] = {}  # the names of graphs that cannot be followed, and why: see `Ceiling`
        self._refused_calls: dict[str, str] = {}  # the same of this cell's calls of backward
        self._origins = Origins()
        self._leaves: dict[str, str] = {}  # the leaves that names stood for when the last cell ended
        self._lock = threading.RLock()  # the clock's thread looks between cells, no cell begins meanwhile
        self._inside = 0  # above 0 while nobody may look in: a pass runs, or somebody is looking already
        self._begun: Recording | None = None  # whose hooks are on the learner's nodes
        self._peek = Soon(self._look_in)
        self._pace = Pace()
        self._clock = Clock(self._due, self._tick)
        self._cell_ended = 0.0
        self._busy = False
        self.waiting = False  # there is a picture that comes a moment later
        self._twin = Twin()
        self._current: Statement | None = None
        self._passes = self._shown = 0  # how many this cell has run, and which of them was the last to be shown
        self._losses: list[list[Any]] = []
        self._called: set[Call] = set()  # the calls of this cell that have run: once more is a loop
        self._plain = 0.0  # seconds that the last pass took which was not recorded
        self._raised = ""  # what the cell has ended with, if that was an error
        self._program: Program | None = None  # that can be tried with other numbers
        self._failed: Failed | None = None  # and the operation that has raised it
        self.cell: int | None = None  # the number of the cell that runs or has run, as in In [5]
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
        named = self._marked(None)
        self._leaves = self._leaves_of(named)
        self._offer_name(self)
        self._clock.start()

    def stop(self) -> None:
        """Follows no more; the panel stays and shows the last state."""
        if not self.running:
            return
        if self.waiting:
            self._look()
        if self._twin.due:
            self._twin.update(self.panel.scene)
        self.running = self.panel.following = self._busy = False
        self._clock.stop()
        self.shell.events.unregister("pre_run_cell", self._before_cell)
        self.shell.events.unregister("post_run_cell", self._after_cell)
        self.shell.ast_transformers.remove(self._marks)
        self._offer_name(NOBODY)  # functions that were defined meanwhile go on calling it

    def show(self) -> None:
        """Shows the panel in the cell that is running, and below it what will be seen without it."""
        self._look()
        display(self.panel)
        self.panel.shown_in(self.cell)  # `viz.live()` as the last line of the cell shows no second one
        self._twin.show(self.panel.scene)

    def _cells(self) -> int:
        """How many cells IPython has been given, plus one. (Its own count goes up before or after one, by version.)"""
        return len(self.shell.history_manager.input_hist_parsed)

    def _offer_name(self, follower: Any) -> None:
        self.shell.user_ns[NAME] = self.shell.user_ns_hidden[NAME] = follower

    def __reduce__(self) -> Any:
        """A function of a cell may be sent to another process, with what it calls; nobody follows it there."""
        return NOBODY.__reduce__()

    # -- a cell runs ---------------------------------------------------------------------------------------------

    def _before_cell(self, info: Any) -> None:
        while self._lock._is_owned():  # type: ignore[attr-defined]  # a Ctrl-C came before a `with` had let go
            self._lock.release()
        with self._undisturbed():
            self._offer_name(self)
            if self.waiting:  # nobody has looked since the last cell ended
                self._leaves = self._leaves_of(self._named())
            self.cell = self._cells()
            self._marks.begin(str(info.raw_cell or ""), self.cell)
            self._current, self._raised, self._failed = None, "", None
            self._passes = self._shown = 0
            self._losses = []
            self._called, self._plain = set(), 0.0
            self._refused, self._refused_calls = {}, {}
            self._busy = True
            self._pace.begin()
        self._inside = 0
        self._clock.wake()

    def _after_cell(self, result: Any) -> None:
        self._busy = False
        self._cell_ended = time.monotonic()
        with self._undisturbed():
            if self._begun is not None:  # a Ctrl-C came between its hooks and the pass, or while they were taken back
                self._begun.__exit__(None, None, None)
                self._begun = None
            error = result.error_before_exec or result.error_in_exec
            self._raised = first_line(error).removesuffix(": ") if error else ""
            self._failed = failed(result.error_in_exec, self.shell.user_ns)
            named = self._marked(self._current)
            self.waiting = self._cell_ended < self._pace.next - PAUSE  # in a run of quick cells; it comes in a moment
            if self.waiting:
                self._clock.wake()
            else:
                self._look(named=named)
        with self._undisturbed():
            self._tell_losses()
            told = not self._raised or not (self.panel.trace or {"ended": True})["ended"]
            if not self._passes or self._passes != self._shown or not told:
                self.panel.view = "live"  # the last state is not that of the pass that is shown
            self._current = None

    def __call__(self, said: tuple[Any, ...]) -> Any:
        """Called by the code of a cell, as `marks` has it: before a statement; or with a function whose name is
        ``backward`` or ``grad``, instead of which is called what this gives back."""
        if len(said) == 2:
            return self._at(*said)
        if self._inside or threading.current_thread() is not threading.main_thread():
            return said[-1]
        return partial(self._pass, *said)

    def _at(self, table: int, position: int) -> None:
        """The cell's code is before its statement `position`: the one before it has run."""
        with self._undisturbed():
            named = self._marked(self._current)
            self._current = self._marks.statement(table, position)
            if time.monotonic() >= self._pace.looked + max(PATIENCE, _BETWEEN * self._pace.took):
                self._look(named=named)

    def _pass(self, text: str, where: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Calls `function`; if that is a backward pass, records it, or lets it run where it is not due."""
        __tracebackhide__ = True
        call = text, where
        outputs = _outputs_of(function, args, kwargs)
        if outputs is None:
            return function(*args, **kwargs)
        self._passes += 1
        asked = ran = time.monotonic()
        run = None
        if due := self._pace.due() or call not in self._called:
            self._called.add(call)
            run = self._recording(outputs, text)
            ran = time.monotonic()
        self._inside += 1
        try:
            result = function(*args, **kwargs)
            if run is None:
                self._plain = time.monotonic() - ran
        except BaseException as error:
            self._pass_ended(run, outputs, error, call, sys._getframe(1))
            raise
        else:
            # to ask a tensor on a device for its number makes the program wait for all that the device has to do
            if len(outputs) == 1 and (due or getattr(outputs[0], "is_cpu", True)):
                self._note_loss(outputs[0])
            if run is not None:
                self._pass_ended(run, outputs, None, call, sys._getframe(1))
            return result
        finally:
            if due:
                # the first pass of a cell is a cold one: the next ones, soon after it, take less
                self._rest(asked + self._plain, _COLD if self._passes == 1 else inf)
                self._pace.recorded = run is not None
            self._inside -= 1

    def _recording(self, outputs: list[Any], text: str) -> Recording | None:
        """A recording of the pass of `outputs` that has begun; None where there is nothing to record."""
        with self._undisturbed():
            if self._is_large(outputs, text):
                return None
            if any(output.grad_fn is not None for output in outputs):
                self._begun = run = Recording(*filter(_is_tracked, outputs))
                run.most = _STEPS
                try:
                    return run.__enter__()
                except Lacks as error:  # nodes of the learner's own, without hooks
                    self._refused_calls[text] = first_line(error)
                except Exception:
                    run.__exit__(None, None, None)  # takes back the hooks that it has set
                    raise
        return None

    def _pass_ended(
        self, run: Recording | None, outputs: list[Any], error: BaseException | None, call: Call, caller: FrameType
    ) -> None:
        with self._undisturbed():
            if run is not None:
                run.__exit__(type(error), error, None)
                self._begun = None
            elif isinstance(error, Exception) and not self._is_large(outputs, call[0]):
                run = stopped(outputs, error)
            if run is not None:
                self._show_pass(run, outputs, call, caller)
                self._shown = self._passes

    def _show_pass(self, run: Recording, outputs: list[Any], call: Call, caller: FrameType) -> None:
        named = self._marked(self._current, caller)
        text, where = call
        picture: dict[str, Any] = {"outputs": run.outputs, "watched": run}
        if not run.outputs:
            named = [pair for pair in named if not _is_tracked(pair[1])]
            picture = {"outputs": (), "beside": once(*outputs, *ghosts(named))}
        scene, read = self.scenes.scene(named, cell=self.cell, notes=run.notes, call=text, **picture)
        nr = f"  #{self._passes}" if self._passes > 1 else ""
        trace = self.scenes.trace(run, scene, read, text + nr, self.cell, where)
        self._program = None
        if trace["ended"]:
            self._program = Program(scene["code"], self.shell.user_ns, library_of(outputs[0]))
            values = {name: numbers(tensor) for name, tensor in named}
            leaves = {name: row for name, row in self._program.leaves.items() if values.get(name) == row}
            trace["leaves"] = _by_id(scene, leaves)
        self._send_pass(trace, len(trace["steps"]))

    def _send_pass(self, trace: dict[str, Any], step: int) -> None:
        with self.panel.hold_sync():
            self.panel.trace = trace
            self._tell_losses()
            self.panel.view, self.panel.step = "pass", step

    def _try(self, asked: dict[str, Any]) -> None:
        """Runs the program that is shown with other numbers in its leaves, by their ids."""
        with self._undisturbed():  # no cell begins meanwhile
            before = self.panel.trace
            if self._busy or self._program is None or before is None or not before["leaves"]:
                return
            old = before["scene"]
            called = {node["id"]: node["names"][0] for node in old["nodes"] if node["id"] in before["leaves"]}
            rows = {k: row for k, row in {**before["leaves"], **asked}.items() if k in called}
            values = {called[k]: list(map(float, row)) for k, row in rows.items()}
            run, variables, call = self._program.run(values)
            self.scenes.ids.adopt(old["nodes"], variables)
            said = ", ".join(f"{name} = {', '.join(map(number, row))}" for name, row in values.items())
            notes = [words("triedApart", n=said), *run.notes]
            named = named_tensors(variables)
            scene, read = self.scenes.scene(named, outputs=run.outputs, watched=run, cell=self.cell, notes=notes)
            scene["code"] = old["code"]
            trace = self.scenes.trace(run, scene, read, call, before["cell"], before["line"])
            trace["leaves"] = _by_id(scene, values)
            steps = len(trace["steps"])
            self._send_pass(trace, self.panel.step if steps == len(before["steps"]) else steps)

    def _note_loss(self, tensor: Any) -> None:
        """Adds the one number in `tensor` to the curve, if it has one that is finite: JSON has no other. Of many passes
        every second, fourth, … is kept; the last always."""
        losses = self._losses
        with suppress(Exception):  # more than one number, or none that can be read
            if isfinite(loss := float(tensor.item())):
                every = 1 << (self._passes // _CURVE).bit_length()
                if losses and (losses[-1][0] - 1) % every:
                    losses.pop()
                if len(losses) >= _CURVE:
                    losses[:] = [pair for pair in losses if (pair[0] - 1) % every == 0]
                losses.append([self._passes, loss])

    def _tell_losses(self) -> None:
        if self._passes and self.panel.losses != self._losses:
            self.panel.losses = list(self._losses)

    # -- looking -------------------------------------------------------------------------------------------------

    def _look(self, running: FrameType | None = None, named: list[tuple[str, Any]] | None = None) -> None:
        """Makes the scene of all variables (`named`, where the caller has them), those of the functions that are
        `running` among them, and sends it if it differs from the last one."""
        with self._undisturbed(), collector_paused():  # what it takes comes after the picture
            began = time.monotonic()
            self.waiting = False
            named = self._marked(self._current, running) if named is None else named
            # names that stood for a leaf when the last cell ended, and stand for what is computed from something
            old = ((name, self._leaves.get(name), t) for name, t in named if t.grad_fn is not None)
            moved = [(name, before, tensor) for name, before, tensor in old if before]
            if not self._busy:
                self._leaves = self._leaves_of(named)
            said = {"notes": self._notes(), "failed": self._failed}
            scene, _ = self.scenes.scene(named, moved=moved, cell=self.cell, busy=self._busy, **said)
            if not _alike(self.panel.scene, scene):
                self.panel.scene = scene
            self._tell_losses()
            self._rest(began)
            if not self._busy:
                self._twin.soon()
                self._clock.wake()

    def _marked(self, statement: Statement | None, running: FrameType | None = None) -> list[tuple[str, Any]]:
        """The same as `_named`; what is new among them was made by `statement`."""
        named = self._named(running)
        self._origins.mark(named, statement)
        return named

    def _named(self, running: FrameType | None = None) -> list[tuple[str, Any]]:
        """The notebook's tensors by name; then those that only a function knows which is `running`. Without those whose
        graph is too large."""
        named = named_tensors(self.shell.user_ns)
        known = {id(tensor) for _, tensor in named}
        inside = tensors_of_functions(running, self.shell.user_ns)
        named += [pair for pair in inside if id(pair[1]) not in known]
        if not self._busy:
            self._refused = {}
        # a graph that grows while a cell runs is not looked at again and again
        named, refused = self._ceiling.parted(pair for pair in named if pair[0] not in self._refused)
        self._refused |= refused
        return named

    def _is_large(self, outputs: list[Any], call: str) -> bool:
        """Whether the graph of `outputs` is too large, or does not answer; then the panel says so of this `call`."""
        _, refused = self._ceiling.parted((call, output) for output in outputs)
        self._refused_calls |= refused
        return bool(refused)

    def _notes(self) -> list[Words]:
        """What is to be said of the picture of all variables."""
        notes = []
        if self._raised:
            notes.append(words("endedWith", cell=f"In [{self.cell}]", error=self._raised))
        refused = self._refused | self._refused_calls
        notes += [words("sentenceEnd", n=why) for why in dict.fromkeys(refused.values()) if why]
        if large := [name for name, why in refused.items() if not why]:
            names = ", ".join(large[:3]) + ", …" * (len(large) > 3)
            notes.append(words("tooLarge", most=f"{_FOLLOWED:,}", names=names))
        return notes

    def _leaves_of(self, named: Iterable[tuple[str, Any]]) -> dict[str, str]:
        return {name: self.scenes.ids.of_tensor(t) for name, t in named if t.requires_grad and t.grad_fn is None}

    def _rest(self, began: float, most: float = inf) -> None:
        """Waits in proportion to the work that `began` then, but `most` seconds at most; and for what it sends."""
        scene, trace = self.panel.scene, self.panel.trace
        size = 2 * sum(len(s["svg"]) for s in (scene, trace and trace["scene"]) if s)
        self._pace.rest(began, size + (_STEP_BYTES * len(trace["steps"]) if trace else 0), most)

    def _tick(self) -> None:
        """What the clock does: has the main thread look in on a cell that runs for long; sends what had to wait."""
        if self._busy:
            if not self._inside:  # else it would look once more, right after the look that is going on
                self._peek.ask()
        elif self._lock.acquire(blocking=False):
            try:
                if self.waiting and not self._busy:
                    self._look()
                elif self._twin.due and not self._busy:
                    self._twin.update(self.panel.scene)
            finally:
                self._lock.release()

    def _due(self) -> float | None:
        """When the clock has something to do next."""
        if self._busy:
            return self._pace.look()
        if self.waiting:  # nobody is held up by a picture between two cells
            return min(self._pace.next, max(self._pace.sendable, self._cell_ended + PAUSE))
        return self._twin.due

    def _look_in(self) -> None:
        # what is interrupted may be a layout: it cannot go on before this has returned, nor this lay out before it ends
        if self._busy and not self._inside and not is_laying_out():
            self._look(sys._getframe(1))

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Nobody else looks meanwhile; and what goes wrong is said in the panel, never in the learner's cell."""
        with self._lock:
            self._inside += 1
            try:
                yield
            except Exception as error:
                self._pace.looked = self._pace.next = time.monotonic() + 1.0
                with suppress(Exception):  # as well as it can
                    scene = self.panel.scene or self.scenes.scene([])[0]
                    self.panel.scene = {**scene, "note": words("oldPicture", n=first_line(error))}
            finally:
                self._inside -= 1

    def _message(self, panel: LivePanel, content: dict[str, Any], buffers: Any) -> None:
        view = self.scenes.view
        match content:
            case {"type": "check"}:
                self._send_again(content)
            case {"type": "move", "leaves": dict(leaves)}:
                self._try(leaves)
            case {"type": "unfold", "id": str(node_id)}:
                self._look_at(replace(view, unfold=(*view.unfold, node_id)))
            case {"type": "fold"}:
                self._look_at(replace(view, unfold=()))
            case {"type": "earlier"}:
                self.scenes.is_open = not self.scenes.is_open
                self._look_at(view)

    def _look_at(self, view: View) -> None:
        self.scenes.view, self.panel.view = view, "live"
        with self._lock:  # no cell begins meanwhile
            elsewhere = self._busy and threading.current_thread() is not threading.main_thread()
            if not elsewhere:
                self._look()
        if elsewhere:  # messages have a thread of their own where the kernel has subshells
            self._peek.ask()

    def _send_again(self, seen: dict[str, Any]) -> None:
        """Answers a panel that tells which scene and pass it has seen: Jupyter drops messages where a cell prints much,
        and a panel in a notebook that is opened again may belong to a kernel of long ago."""
        panel = self.panel
        if panel.scene is not None and seen.get("scene") != panel.scene["serial"]:
            panel.send_state(("scene", "view"))
        if panel.trace is not None and seen.get("trace") != panel.trace["serial"]:
            panel.send_state(("trace", "losses", "view", "step"))
        panel.send({"type": "here"})


def _outputs_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
    """The tensors that a backward pass is asked of; None where the call is no such thing."""
    owner = getattr(function, "__self__", None)
    if is_tensor(owner):
        return [owner]
    asked = args[0] if args else kwargs.get("tensors", kwargs.get("outputs"))
    outputs = list(asked) if isinstance(asked, (tuple, list)) else [asked]
    return outputs if outputs and all(map(is_tensor, outputs)) else None


def _is_tracked(tensor: Any) -> bool:
    return tensor.requires_grad


def _by_id(scene: dict[str, Any], leaves: dict[str, list[float]]) -> dict[str, list[float]]:
    """The same by the ids of the leaves in a scene."""
    shown = {node["names"][0]: node["id"] for node in scene["nodes"] if node["kind"] == "leaf" and node["names"]}
    return {shown[name]: row for name, row in leaves.items() if name in shown}


def _alike(old: dict[str, Any] | None, new: dict[str, Any]) -> bool:
    """Whether two scenes show the same."""
    if old is None or old["busy"] != new["busy"]:
        return False
    return all(old[key] == new[key] for key in ("svg", "nodes", "edges", "moved", "note", "earlier", "code"))
