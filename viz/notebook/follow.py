"""Follows a notebook: what its cells make and what its backward passes do goes to the live panel.

IPython's public events say when a cell begins and ends. Between them the additions of `marks` to the code of each cell
say which statement runs, and hand each call of ``backward`` or ``grad`` to the `Follower`, which records it when the
panel is due for something new; `calls` tells of passes in other code, and which modules are called. So it works where
the program itself has come to a halt, in the program's own thread, and nowhere else. Nothing of minigrad's or PyTorch's
is replaced, and `stop` takes everything back.

Three ceilings hold it back: its `Pace`; that of graphs, in its `Sight`; and `_STEPS`, of passes that are recorded, and
of which else the loss is told.
"""

import ast
import asyncio
import builtins
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from inspect import CO_OPTIMIZED
from math import isfinite
from threading import get_ident
from types import CodeType, FrameType, MethodType, SimpleNamespace
from typing import Any

from executing import Source  # now: by the time it is needed a cell may have changed `sys.path`

from ..language import Words, first_line, words
from ..model.identities import weakly
from ..model.kept import collector_paused
from ..model.names import library_of, named_tensors
from ..model.protocol import Lacks
from ..model.values import describe
from ..model.written import Failed, asked, failed, parsed
from ..picture.fold import View
from .calls import Calls, profiled
from .importlib_bootstrap import Ends, run_between
from .limits import FOLLOWED, PAUSE, Later, Pace, no_alarm
from .marks import ASKS, NAME, NOBODY, Call, Marks, Origins
from .passes import Passes, is_of_tensor, outputs_of, part
from .pydevd_dont_trace import debugger, unseen
from .recording import Recording, stopped
from .rounds import rounds
from .scene import Scenes, ghosts, once
from .sight import Sight
from .slips import Counts, ended, slips
from .tried import Program
from .widget import LivePanel

_LARGE = 100  # operations of a pass that in a short loop is recorded once
_STEPS = 1_000  # operations of a pass that is recorded step by step: a second, a megabyte
_ROOM, _MORE = 1_000, 100  # statements inside of one that are told before it sleeps; and after a pass of a loop
_MARKS = 0.1  # seconds of a cell, and a tenth of its time: so long its statements wait until it is known what one made
_LAYOUT = 5.0  # seconds that laying out may take
_LATER = 0.7  # seconds after a cell until what is seen without a kernel is brought up to date: first comes the panel
# a line that measures what it runs
_MEASURES = re.compile(r": (\w+ *= *)?%+(time|[lm]?prun|memit|run( -\w+)* -t)|\btimeit[.(]").search


@dataclass(slots=True)
class _Cell:
    """The cell that runs, or has run last."""

    number: int | None  # as in In [5]
    passes: Passes
    began: float = field(default_factory=time.monotonic)
    spent: float = 0.0  # seconds that it took to find out what its statements have made
    line: str = ""  # where the statement stands that runs
    waits: tuple[int, Callable[[], None]] | None = None  # the last pass, and what shows it when the cell ends
    counts: Counts = field(default_factory=dict)  # after its first pass: see `slips`
    said: list[Words] = field(default_factory=list)  # of the error it has ended with, or where it has raised none
    failed: Failed | None = None  # the operation that raised that
    long: list[Words] = field(default_factory=list)  # what is said of a pass with too many steps


class Follower:
    """Keeps one panel up to date with one notebook."""

    def __init__(self, shell: Any, panel: LivePanel) -> None:
        self.shell = shell
        self.panel = panel
        self._marks = Marks()
        self._transformer = SimpleNamespace(visit=partial(unseen, self._marks.visit))
        cells = {"pre_run_cell": self._before_cell, "post_run_cell": self._after_cell}
        self._events = {event: partial(unseen, told) for event, told in cells.items()}
        self._origins, self._calls = Origins(), Calls(self._elsewhere)
        of, held, seen, codes = self._origins.of, self._origins.held, self._calls.seen, self._marks.codes
        self.scenes = Scenes(View(), timeout=_LAYOUT, origin=of, held=held, calls=seen, codes=codes)
        self.sight = Sight(shell, self._marks, self._origins, self._calls)
        self.running = False
        self._inside = 0  # above 0 while a pass runs, or the follower works
        self._compiles: Callable[[], bool] = bool  # whether PyTorch's compiler reads what is called
        self._compiler: Callable[[], Any] = bool  # of PyTorch's, which would compile what runs here, too
        self._room = 0  # for how many statements inside of others
        self._begun: Recording | None = None  # whose hooks are on the learner's nodes
        self._pace = Pace()
        self._loop: asyncio.AbstractEventLoop | None = None  # of the thread that runs the cells
        self.soon = Later(self._look, self._is_attended)  # the picture of a cell right after another one
        self._kept = Later(self._keep, self._is_attended)
        self.cell = _Cell(None, Passes(self._wake))
        self._program: Program | None = None  # that can be tried with other numbers
        self._told: Callable[[], dict[str, Any]] | None = None  # gives the pass that is shown
        panel.on_msg(self._message)

    # -- beginning and ending ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Follows from now on."""
        if self.running:
            return
        self.running = self.panel.following = True
        with suppress(RuntimeError):
            self._loop = asyncio.get_running_loop()
        for event, told in self._events.items():
            self.shell.events.register(event, told)
        self.shell.ast_transformers.append(self._transformer)
        self.cell = _Cell(self._cells() - 1, Passes(self._wake))
        with self._undisturbed():
            self.scenes.remember(self.sight.named())
        self._offer(NAME, self)
        self._wake()  # what is left of this cell has no marks, but its passes can be recorded

    def stop(self) -> None:
        """Follows no more; the panel stays and shows the last state."""
        if not self.running:
            return
        self.sight.runs = None
        self._calls.watch(False)
        self._let_go()
        for later in (self.soon, self._kept):
            if later.waits:
                later.now()
        self.running = self.panel.following = False
        for event, told in self._events.items():
            self.shell.events.unregister(event, told)
        with suppress(ValueError):  # it is there no more
            self.shell.ast_transformers.remove(self._transformer)
        self._offer(ASKS, False)
        self._offer(NAME, NOBODY)  # functions that were defined meanwhile go on calling it

    def _let_go(self) -> None:
        """No hook is left on the learner's nodes."""
        if self._begun is not None:
            self._begun.__exit__(None, None, None)
            self._begun = None

    def show(self) -> None:
        """Shows the panel in the cell that is running, and below it what will be seen without it."""
        self._look()
        self.panel.show(self.cell.number)

    def _cells(self) -> int:
        """How many cells IPython has been given, plus one. (Its own count goes up before or after one, by version.)"""
        return len(self.shell.history_manager.input_hist_parsed)

    def _offer(self, name: str, what: Any) -> None:
        for space in (self.shell.user_ns, self.shell.user_ns_hidden, vars(builtins)):  # the last: after ``%reset``
            space[name] = what

    def __reduce__(self) -> Any:
        """A function of a cell may be sent to another process, with what it calls; nobody follows it there."""
        return NOBODY.__reduce__()

    # -- a cell runs ---------------------------------------------------------------------------------------------

    def _before_cell(self, info: Any) -> None:
        if self.sight.runs and not info.store_history:  # a cell inside the cell, as ``%%capture`` runs it
            return
        with self._undisturbed():
            self._offer(NAME, NOBODY if debugger() else self)
            self._compiles = getattr(getattr(sys.modules.get("torch"), "compiler", None), "is_compiling", bool)
            self._compiler = getattr(sys.modules.get("torch._C._dynamo.eval_frame"), "get_eval_frame_callback", bool)
            if self.soon.waits:  # nobody has looked since the last cell ended
                self.soon.drop()
                self.scenes.remember(self.sight.named())
            self.shell.ast_transformers.sort(key=lambda one: one is self._transformer)  # others see no marks
            self.cell = _Cell(self._cells(), Passes(self._wake))
            self.sight.begin(info)
            self._origins.rest()
            self._marks.begin(str(info.raw_cell or ""), self.cell.number)
            self._pace.begin()
        self._inside = 0

    def _after_cell(self, result: Any) -> None:
        if result and self.sight.runs not in (None, result.info):
            return
        self.sight.runs, self._inside = None, 0
        self._calls.watch(False)
        cell, passes = self.cell, self.cell.passes
        error = result and (result.error_before_exec or result.error_in_exec)
        with self._undisturbed(), self.panel.hold_sync():  # a picture comes with the view that it is shown in
            with self._undisturbed():
                self._let_go()  # a Ctrl-C came between its hooks and the pass
                self._tell_losses()
                found, frame = failed(error, self.shell.user_ns, self._marks.of, Source.executing)
                if error:
                    hint = found.hint if found else None
                    cell.said = list(ended(error, f"In [{cell.number}]", hint, self.shell.user_ns))
                if found and not found.is_pass and found.tensors and not self.sight.is_large(found.tensors, found.text):
                    cell.failed = found
                elif found and found.is_pass and (alone := passes.last):
                    call, tensor = alone
                    self._pass_ended(None, [tensor], error, call, frame)
                named = self.sight.named()
                if not error:
                    with suppress(Exception):  # the picture goes on without
                        code = self.shell.transform_cell("\n".join(self._marks.codes.get(cell.number, ())))
                        variables, same = self.shell.user_ns, passes.curve.is_flat and passes.curve.last != 0
                        cell.said = list(slips(code, dict(named), variables, passes.count, cell.counts, same))
                    last = passes.curve.last
                    cell.said += [words("lost", n=last)] * (passes.count > 1 and not isfinite(last))
                if time.monotonic() < self._pace.cell:  # in a run of quick cells
                    self.soon.ask(PAUSE)
                else:
                    self._look(named)
            with self._undisturbed():
                if cell.waits and cell.waits[0] == passes.count:
                    cell.waits[1]()
                told = not error or not (self.panel.trace or {"ended": True})["ended"]
                if passes.shown == 1 < passes.count:  # when it was shown, nobody knew that others follow
                    self.panel.trace = {**self.panel.trace, "call": f"{self.panel.trace['call']}  #1"}
                if not passes.count or passes.count != passes.shown or not told:
                    self.panel.view = "live"  # the last state is not that of the pass that is shown
                self._origins.rest()

    def __call__(self, said: tuple[Any, Any]) -> Any:
        """Called by the code of a cell, as `marks` has it: before a statement; or with a function whose name is
        ``backward`` or ``grad``, instead of which is called what this gives back."""
        __tracebackhide__ = __debuggerskip__ = True  # where ■ interrupts a loop here, or `ipdb` steps through it
        if self._compiles():  # which would go on with what stands here, and must see the learner's function alone
            return said[1]
        (call, function), passes = said, self.cell.passes
        if get_ident() not in FOLLOWED:
            return function
        # of most passes of a loop this is all; and it looks at little, none of which is left in the processor's cache
        if call is passes.call and passes.count < passes.until and type(function) is MethodType:
            passes.count += 1
            passes.asked = weakly(function.__self__)
            self._calls.is_marked = True
            return function
        if isinstance(call, str):
            return self._within(call) if function else self._at(call)
        if passes.goes_on(call, function, self._pace.next):
            return self(said)
        own = part(function, "__globals__") is self.shell.user_ns  # the passes in it have marks
        if (own and not is_of_tensor(function)) or not callable(function) or self._inside or profiled():
            return function
        return partial(run_between, self._begins, call, function)

    def _elsewhere(self, frame: FrameType) -> Ends | None:
        """A tensor's ``backward`` begins in that frame: what is to be called at its end, where code without marks has
        called it, as that of an imported module has, and it is recorded."""
        caller = frame.f_back
        if callable(self._compiler()) or caller is None or self._inside:
            return None
        call = self._marks.elsewhere(caller, self.cell.line)
        if call is None:
            return None
        asked: Any = getattr(frame.f_locals.get("self"), "backward", None)  # an alarm of the program's goes through
        return None if self((call, asked)) is asked else self._begins(call, asked, (), {})

    def _at(self, line: str) -> None:
        """The cell's code is before the statement of that line: the one before it has run."""
        with self._undisturbed():
            cell, began, self._inside = self.cell, time.monotonic(), 1
            profiler = profiled()
            if profiler or _MEASURES(line):
                self._calls.watch(False)
                self._inside += 1  # until the next one
            else:
                self._wake()
            cell.line = line
            cell.passes.rest()
            if cell.spent <= _MARKS + (began - cell.began) / 10 and not profiler:
                named = self.sight.named()
                self._origins.rest()
                self.scenes.remember(named, ended=False)
                cell.spent += time.monotonic() - began
                if time.monotonic() >= self._pace.statement:
                    self._look(named)
        self._origins.begin(line)

    def _within(self, line: str) -> None:
        """It is before a statement of that line, inside of the one that runs: of those in a loop not all are told."""
        self._room, self._inside = 0 if profiled() else self._room - 1, bool(_MEASURES(line))
        self._origins.begin(line if self._room else self.cell.line, nested=True)
        if not self._room:
            self._offer(ASKS, False)

    def _wake(self) -> bool:
        """Statements inside of others are told from now on, and which modules are called; whether they were not."""
        slept, self._room = not self._room, _ROOM
        self._offer(ASKS, True)
        return self._calls.watch(True) or slept

    def _begins(self, call: Call, function: Callable[..., Any], args: Any, kwargs: Any) -> Ends | None:
        """Begins to record a call, where that is a backward pass and is due: what is to be called at its end, with the
        error and the frame that it ran in. What is neither a tensor's nor its library's is one where hooks tell it."""
        passes, run, asked = self.cell.passes, None, time.monotonic()
        outputs, sure = outputs_of(function, args, kwargs)
        due = passes.is_due(call, asked >= self._pace.next)
        if not outputs or not (sure or due):
            return None
        ahead = partial(rounds, sys._getframe(1), self._written)
        if passes.begin(call, due, ahead, self._pace.is_long(self.cell.began)):
            run = self._recording(outputs, call[0])
        self._inside += 1
        ran = time.monotonic()

        def ends(error: BaseException | None, caller: FrameType) -> None:
            plain = time.monotonic() - ran - (run.spent if run else 0.0)  # seconds that the pass itself took
            passes.is_loop |= run is None and error is None
            try:
                if due or run is not None or error is not None:
                    self._pass_ended(run, outputs, error, call, caller, sure, due)
                else:
                    passes.end(outputs, call, function)
            finally:
                if due:
                    self._room = min(self._room, _MORE)
                    spent = run.spent if run and len(run.inputs) > _LARGE else 0.0
                    self._pace.rest_from_pass(asked + plain, spent, first=passes.count == 1)
                self._inside -= 1

        return ends

    def _written(self, code: CodeType, space: Mapping[str, Any]) -> ast.AST | None:
        """What stands in the notebook where that code runs, with those globals."""
        if space is not self.shell.user_ns:
            return None
        if code.co_flags & CO_OPTIMIZED:  # in a function
            return self._marks.functions.get((code.co_name, code.co_firstlineno))
        return self._marks.statements.get(self.cell.line)

    def _recording(self, outputs: list[Any], text: str) -> Recording | None:
        """A recording of the pass of `outputs` that has begun; None where there is nothing to record."""
        with self._undisturbed():
            if self.sight.is_large(outputs, text):
                return None
            if any(output.grad_fn is not None for output in outputs):
                run = Recording(*(output for output in outputs if output.requires_grad))
                if len(run.inputs) > _STEPS:
                    self.cell.long = [words("longPass", call=text, n=f"{len(run.inputs):,}")]
                    return None
                self._begun = run
                try:
                    return run.__enter__()
                except Lacks:  # nodes of the learner's own, without hooks
                    self.sight.refused[text] = words("noHooks", call=text)
        return None

    def _pass_ended(
        self,
        run: Recording | None,
        outputs: list[Any],
        error: BaseException | None,
        call: Call,
        caller: FrameType | None,
        sure: bool = True,
        due: bool = True,
    ) -> None:
        """Shows the pass, one that is not `due` when the cell has ended; where it was not recorded, and did not fail,
        the losses alone."""
        cell, passes = self.cell, self.cell.passes
        with self._undisturbed():
            if run is not None:
                sure = sure or bool(run.steps)
                run.__exit__(type(error), error, None)
                self._begun = None
            if not sure:
                passes.count -= 1
                return
            if error is None and len(outputs) == 1:
                passes.curve.note(outputs[0], call, passes.count, due=True)
            self._tell_losses()
            if run is None and isinstance(error, Exception) and not self.sight.is_large(outputs, call[0]):
                run = stopped(outputs, error)
            if run is not None:
                self._show_pass(run, outputs, call, caller, due or error is not None)
                if passes.count == 1:
                    leaves = (step.node.variable for step in run.steps if step.kind == "accumulate")
                    with suppress(Exception):  # a hook has taken a gradient away; or they are somebody's own
                        cell.counts = {id(leaf): (weakly(leaf.grad), leaf.grad._version) for leaf in leaves}

    def _show_pass(self, run: Recording, outputs: list[Any], call: Call, caller: FrameType | None, now: bool) -> None:
        named = self.sight.named(caller)
        cell, number = self.cell, self.cell.passes.count
        text = call[0] + (f"  #{number}" if number > 1 else "")
        beside: Iterable[Any] = ()
        if not run.outputs:
            named = [pair for pair in named if not pair[1].requires_grad]
            beside = once(*outputs, *ghosts(named))
            if isinstance(written := asked(parsed(text)), ast.BinOp | ast.Call):
                named.append((ast.unparse(written), outputs[0]))
        own = (*caller.f_code.co_varnames, *caller.f_code.co_freevars) if caller else ()
        read = self.scenes.read(named, run, own=own, beside=beside, cell=cell.number, busy=now, call=text)
        self._program = None
        if now and run.failed is None and read.said["code"] and not cell.passes.is_loop:
            shown = {code["cell"] for code in read.said["code"]}
            self._program = program = Program(self.scenes.codes, shown, self.shell.user_ns, library_of(outputs[0]))
            have = {name: describe(tensor).numbers for name, tensor in named if name in program.leaves}
            program.leaves = {name: row for name, row in program.leaves.items() if have.get(name) == row}
        show = partial(self._send, self.scenes.trace(run, read, call[1]))
        if now:
            show()
        else:
            cell.waits = number, show

    def _send(self, told: Callable[[], dict[str, Any]], step: int | None = None, **more: Any) -> None:
        """Shows the pass that `told` gives, at its end or at that `step`, with what `more` is known of it; in it, by
        their ids, the leaves that can be moved."""
        self._told, trace = told, told() | more
        self.cell.passes.shown = self.cell.passes.count
        leaves = [node for node in trace["scene"]["nodes"] if node["kind"] == "leaf" and node["names"]]
        shown = {node["names"][0]: node["id"] for node in leaves}
        rows = self._program.leaves if self._program else {}
        trace["leaves"] = {shown[name]: row for name, row in rows.items() if name in shown}
        with self.panel.hold_sync():
            self.panel.trace = trace
            self.panel.view, self.panel.step = "pass", len(trace["steps"]) if step is None else step

    def _try(self, asked: dict[str, Any]) -> None:
        """Runs the program that is shown with other numbers in its leaves, by their ids."""
        with self._undisturbed():
            program, before = self._program, self.panel.trace
            if self.sight.runs or program is None or before is None or not before["leaves"]:
                return
            old = before["scene"]
            called = {node["id"]: node["names"][0] for node in old["nodes"] if node["id"] in before["leaves"]}
            program.leaves |= {called[k]: list(map(float, row)) for k, row in asked.items() if k in called}
            run, variables, call = program.run(self._origins.begin)
            named = named_tensors(variables)
            self.scenes.ids.adopt(old["nodes"], variables)
            self._origins.mark(named)
            self._origins.rest()
            read = self.scenes.read(named, run, cell=self.cell.number, call=call)
            said = ", ".join(f"{name} = {', '.join(f'{n:g}' for n in row)}" for name, row in program.leaves.items())
            read.said["code"] = old["code"]
            read.notes.insert(0, words("triedApart", n=said))
            self._send(self.scenes.trace(run, read, before["line"]), self.panel.step)

    def _tell_losses(self) -> None:
        passes = self.cell.passes
        if last := passes.last:
            call, tensor = last
            passes.curve.note(tensor, call, passes.count, due=True)
        if passes.count and self.panel.losses != passes.curve.points:
            with self.panel.hold_sync():
                self.panel.losses = list(passes.curve.points)

    # -- looking -------------------------------------------------------------------------------------------------

    def _look(self, named: list[tuple[str, Any]] | None = None) -> None:
        """Makes the scene of all variables (`named`, where the caller has them), and sends it if it differs from the
        last one."""
        with self._undisturbed():
            began = time.monotonic()
            self.soon.drop()
            named = self.sight.named() if named is None else named
            cell, runs = self.cell, bool(self.sight.runs)
            notes = [*cell.long, *cell.said, *self.sight.notes]
            read = self.scenes.read(named, cell=cell.number, busy=runs, notes=notes, failed=cell.failed)
            scene = self.scenes.scene(read)
            seen, old = ("busy", "svg", "nodes", "edges", "moved", "note", "earlier", "code"), self.panel.scene
            if old is None or any(old[key] != scene[key] for key in seen):
                with self.panel.hold_sync():
                    self.panel.scene = scene
                    if runs and not cell.passes.count:
                        self.panel.view = "live"  # it grows
            self._tell_losses()
            self._pace.rest(began)
            if not runs:
                self._kept.ask(_LATER)

    def _is_attended(self) -> bool:
        """Whether somebody is there to be asked. Else nbconvert or the like runs the notebook: what comes when a cell
        has ended is lost."""
        request: Any = getattr(self.shell, "get_parent", dict)()
        return request.get("content", {}).get("allow_stdin", True)

    def _keep(self) -> None:
        """Brings up to date what is seen without a kernel."""
        with self._undisturbed():
            self.panel.keep()

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """What goes wrong is said in the panel, never in the learner's cell."""
        with no_alarm(), collector_paused():  # what that takes comes after the picture
            self._inside += 1
            try:
                yield
            except Exception as error:
                self._pace.next = self._pace.statement = self._pace.cell = time.monotonic() + 1.0
                with suppress(Exception), self.panel.hold_sync():  # as well as it can
                    scene = self.panel.scene or self.scenes.scene(self.scenes.read([]))
                    self.panel.scene = {**scene, "note": words("oldPicture", n=first_line(error))}
            finally:
                self._inside -= 1

    # -- what the panel asks -------------------------------------------------------------------------------------

    def _message(self, panel: LivePanel, content: dict[str, Any], buffers: Any) -> None:
        if content.get("type") == "check":
            return panel.send_again(content)
        if threading.current_thread() is not threading.main_thread():
            # as where the kernel has subshells: a graph is read between two cells, in the thread that runs them
            if self._loop is not None:
                self._loop.call_soon_threadsafe(unseen, self._message, panel, content, buffers)
            return None
        scenes, trace, view = self.scenes, panel.trace, panel.view
        opened = scenes.unfolded["pass"]
        match content:
            case {"type": "move", "leaves": dict(leaves)}:
                return self._try(leaves)
            case {"type": "unfold", "id": str(node_id)}:
                scenes.unfolded[view] += (node_id,)
            case {"type": "fold"}:
                scenes.unfolded = dict.fromkeys(scenes.unfolded, ())
            case {"type": "earlier"}:
                scenes.is_open = not scenes.is_open
            case _:
                return None
        with self._undisturbed(), panel.hold_sync():
            if self._told is not None and trace is not None and scenes.unfolded["pass"] != opened:
                self._send(self._told, panel.step, call=trace["call"])
            panel.view = view
        return self._look()
