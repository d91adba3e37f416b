"""What the engine promises beyond right numbers: no recursion, no second visit, nothing kept longer than needed."""

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import grad_mode
from minigrad.autograd.accumulate import may_write

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("step", ["y + 1", "y * 1", "y.view(1)", "y.relu()", "y.clone()", "y - y * 0"])
def test_a_long_chain_needs_no_recursion(step: str) -> None:
    """Building, differentiating and dropping 100,000 steps: none of the three may recurse."""
    x = torch.ones(1, requires_grad=True)
    y = x
    code = compile(step, "step", "eval")
    for _ in range(100_000 // (1 + step.count("y", 1))):
        y = eval(code)
    y.backward()
    assert x.grad.item() == 1
    del y


def test_a_long_chain_dropped_without_backward() -> None:
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y * 1
    del y
    assert x.grad is None


def test_a_long_chain_of_writes() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x.clone()
    for _ in range(20_000):
        y[0].mul_(1)
    y.sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


def test_second_derivative_of_a_long_chain() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x * x
    for _ in range(5_000):
        y = y * 1
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (g2,) = torch.autograd.grad(g, x)
    assert g2.item() == 2


def test_each_output_of_a_node_has_a_shape_of_its_own() -> None:
    """The gradient of the second part arrives in the shape of the first, and is summed to its own."""
    x = torch.ones(3, requires_grad=True)
    two, one = x.split([2, 1])
    (two * one).sum().backward()
    assert x.grad.tolist() == [1, 1, 2]


def test_a_leaf_used_very_often() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    total = x * 0
    for _ in range(20_000):
        total = total + x
    total.backward()
    assert x.grad.item() == 20_000


def test_each_node_runs_once() -> None:
    """A billion paths lead through thirty diamonds; each node must wait for all of its users and run once."""
    x = torch.tensor(1.0, requires_grad=True)
    y, runs = x, []
    for step in range(30):
        y = y + y
        y.register_hook(lambda grad, step=step: runs.append(step))
    y.backward()
    assert runs == list(reversed(range(30)))
    assert x.grad.item() == 2**30


def test_only_what_leads_to_the_inputs_runs() -> None:
    """autograd.grad(loss, x) must not pay for the rest of the graph."""
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    ran = []
    far = w.exp()
    far.register_hook(lambda grad: ran.append("far"))
    torch.autograd.grad(x * far, x)
    assert ran == []


def test_backward_inside_a_hook() -> None:
    """A backward pass may start another one."""
    x = torch.tensor(2.0, requires_grad=True)
    other = torch.tensor(3.0, requires_grad=True)

    def hook(grad: Any) -> None:
        with torch.enable_grad():
            (other * other).backward()

    y = x * x
    y.register_hook(hook)
    y.backward()
    assert (x.grad.item(), other.grad.item()) == (4, 6)


def test_a_failed_backward_leaves_a_working_engine() -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x

    def fail(grad: Any) -> None:
        raise ZeroDivisionError

    handle = y.register_hook(fail)
    with pytest.raises(ZeroDivisionError):
        y.backward(retain_graph=True)
    handle.remove()
    assert x.grad is None
    y.backward()
    assert x.grad.item() == 4


# ---------------------------------------------------------------------------------------------------------------------
# Memory


@pytest.fixture
def without_garbage_collector() -> Iterator[None]:
    """Nothing is collected, and what was there before is not looked at."""
    gc.disable()
    gc.freeze()
    yield
    gc.unfreeze()
    gc.enable()


class Exp(torch.autograd.Function):
    """Saves its own output, the easiest way to make a cycle."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (y,) = ctx.saved_tensors
        return grad * y


def written(x: Any) -> Any:
    y = x * 1
    y[0] = y[1] * 2
    return y.mul_(3)


def hooked(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda grad: grad * 2)
    y.retain_grad()
    return y


MAKERS = {
    "add": lambda x: x + 1,
    "mul": lambda x: x * x,
    "exp saves its result": lambda x: x.exp(),
    "relu saves its result": lambda x: x.relu(),
    "a view": lambda x: x.view(-1)[1:],
    "a written view": written,
    "a hook and retain_grad": hooked,
    "a Function that saves its output": Exp.apply,
    "max": lambda x: x.max(),
    "matrix product": lambda x: x.reshape(2, 2) @ x.reshape(2, 2),
    "second derivative": lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0],
}


def nodes_alive() -> list[Any]:
    """All nodes of all graphs. Nodes cannot be weakly referenced, in PyTorch neither, so all objects are asked."""
    return [thing for thing in gc.get_objects() if "Backward" in type(thing).__name__]


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("backward", [False, True], ids=["dropped", "after backward"])
@pytest.mark.usefixtures("without_garbage_collector")
def test_a_dropped_graph_is_freed_at_once(make: Any, backward: bool) -> None:
    """No reference cycles: with the garbage collector off, dropping the last tensor frees the whole graph."""
    others = nodes_alive()
    x = torch.tensor([0.5, 1.0, -1.0, 2.0], requires_grad=True)
    y = make(x)
    z = y.sum()
    watched = [weakref.ref(thing) for thing in (y, z)]
    if backward:
        z.backward()
    del y, z
    assert [ref() for ref in watched] == [None] * 2, "something still holds the graph"
    left = {id(node) for node in nodes_alive()} - {id(node) for node in others}
    assert not left, "something still holds nodes of the graph"


@pytest.mark.usefixtures("without_garbage_collector")
def test_backward_frees_saved_arrays() -> None:
    """After backward the loss is still there, the arrays that the graph had saved are not."""
    x = torch.ones(10, requires_grad=True)
    h = x * 2
    loss = (h * h).sum()
    saved = weakref.ref(h.detach().numpy().base if h.detach().numpy().base is not None else h.detach().numpy())
    del h
    assert saved() is not None, "the graph needs this array"
    loss.backward()
    assert saved() is None, "backward should have let it go"


@pytest.mark.usefixtures("without_garbage_collector")
def test_a_training_loop_does_not_grow() -> None:
    """The same number of live objects after ten steps as after a hundred."""
    w = torch.ones(3, requires_grad=True)

    def step() -> None:
        loss = ((w * 2 - 1) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w.sub_(w.grad, alpha=0.01)
        w.grad = None

    def count(steps: int) -> int:
        for _ in range(steps):
            step()
        return len(gc.get_objects())

    count(10)
    after_few = count(10)
    assert count(100) <= after_few + 5


def test_gradients_of_two_leaves_share_no_memory() -> None:
    a = torch.zeros(3, requires_grad=True)
    b = torch.zeros(3, requires_grad=True)
    (a + b).sum().backward()
    assert not np.shares_memory(a.grad.numpy(), b.grad.numpy())
    a.grad.add_(1)  # a gradient must be writable, though it came from a broadcast
    assert b.grad.tolist() == [1, 1, 1]


def test_gradients_that_somebody_holds_are_left_alone() -> None:
    """Of large arrays numpy reuses the memory, where nobody else sees it: a hook, `retain_grad` or the caller does."""
    x = torch.full((512, 512), 0.5, requires_grad=True)
    seed = torch.full((512, 512), 2.0)
    seen: dict[str, Any] = {}

    def remember(name: str) -> Any:
        return lambda *grads: seen.update({name: grads})

    y = x * 3
    z = y * y
    z.retain_grad()
    y.register_hook(remember("y"))
    z.grad_fn.register_hook(remember("after z"))
    z.grad_fn.register_prehook(remember("before z"))
    (z * 5).backward(seed)
    assert {*seed.flatten().tolist()} == {2}
    assert {*z.grad.flatten().tolist()} == {10}
    assert {*x.grad.flatten().tolist()} == {90}
    assert [{*grad.flatten().tolist()} for grad in seen["y"]] == [{30}]
    assert [[{*grad.flatten().tolist()} for grad in grads] for grads in seen["after z"]] == [[{15}, {15}], [{10}]]
    assert [[{*grad.flatten().tolist()} for grad in grads] for grads in seen["before z"]] == [[{10}]]


PROGRAM_UNDER_A_TRACER = """
import sys

def look(frame, event, arg):  # as a debugger does that shows variables
    if "accumulate.py" in frame.f_code.co_filename:
        frame.f_locals
    return look

sys.settrace(look)
import minigrad as torch
import minigrad.autograd.accumulate
{stop}

x, p = (torch.ones(2, requires_grad=True) for _ in range(2))
a, q = x * 2, p * 1
c = a * torch.tensor([5.0, 5.0])
b = a + q
(b * torch.tensor([1.0, 1.0]) + c).sum().backward()
print(x.grad.tolist(), p.grad.tolist())
"""


@pytest.mark.parametrize("stop", ["sys.settrace(None)", ""], ids=["while importing", "throughout"])
def test_gradients_are_right_under_a_debugger(stop: str) -> None:
    """A debugger that looks at local variables refers to them: that must not pass for what nobody refers to."""
    program = PROGRAM_UNDER_A_TRACER.format(stop=stop)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert done.stdout.split("\n")[0] == "[12.0, 12.0] [1.0, 1.0]", done.stdout + done.stderr


def test_only_an_array_that_nobody_else_holds_is_written_in_place() -> None:
    held: list[Any] = [np.ones(3), np.ones(3), np.ones(3)[1:]]
    somebody = [held[1]]
    counted = getattr(sys, "_is_gil_enabled", lambda: True)()
    assert [may_write(held, i) for i in range(3)] == [counted, False, False], somebody


PROGRAM_OF_A_CHILD = """
import os, signal, threading
import minigrad as torch
from minigrad.autograd.accumulate import turn

x = torch.ones(2, requires_grad=True)
y = (x * x).sum()
held, over = threading.Event(), threading.Event()

def in_the_middle_of_a_leaf():
    with turn:
        held.set()
        over.wait()

threading.Thread(target=in_the_middle_of_a_leaf).start()
held.wait()
child = os.fork()
if not child:
    signal.alarm(20)
    y.backward()
    os._exit(0 if x.grad.tolist() == [2, 2] else 1)
ended = os.waitpid(child, 0)[1]
over.set()
print(ended)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no children like this here")
def test_a_forked_child_waits_for_no_thread_that_it_does_not_have() -> None:
    """Whoever adds to a leaf when the process forks never comes back in the child."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM_OF_A_CHILD], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.stdout == "0\n", done.stdout + done.stderr


PROGRAM_WITHOUT_A_LOCK = """
import sys

sys._is_gil_enabled = lambda: False
import numpy as np
import minigrad as torch
from minigrad.autograd.accumulate import may_write

x = torch.ones(2, requires_grad=True)
a = x * 2
(a * 3 + a * 5 + a * 7 + x * torch.tensor([1.0, 1.0])).sum().backward()
print(may_write([np.ones(3)], 0), x.grad.tolist())
"""


def test_a_free_threaded_python_is_not_asked_who_holds_an_array() -> None:
    """There a count is the sum of two that other threads change meanwhile: too low a one would let us write into what
    somebody sees. So each sum is a new array, and the numbers are the same."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM_WITHOUT_A_LOCK], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.stdout == "False [31.0, 31.0]\n", done.stdout + done.stderr


def test_a_hook_on_several_tensors_of_which_grad_asks_for_some() -> None:
    """A leaf that nobody asks for gets no gradient in this pass; only one that is asked for cannot be waited for."""
    x, w = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    a, seen = x * 2, []
    torch.autograd.graph.register_multi_grad_hook([a, w], seen.append)
    y = a.sum() + w.sum()
    (grad,) = torch.autograd.grad(y, x, retain_graph=True)
    assert grad.tolist() == [2, 2]
    assert [[g if g is None else g.tolist() for g in grads] for grads in seen] == [[[1, 1], None]]
    with pytest.raises(RuntimeError, match="A leaf node was passed to _will_engine_execute_node"):
        torch.autograd.grad(y, [x, w])


@pytest.mark.parametrize(("inputs", "found"), [("y", [30]), ("yx", [3, 60]), ("x", [60]), ("zy", [1, 30])])
def test_what_grad_gives_of_a_tensor_whose_hook_replaces_the_gradient(inputs: str, found: list[int]) -> None:
    """As PyTorch: what the hook made of it, but where the gradient goes on to another input, what had arrived."""
    x = torch.ones((), requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 10)
    z = y * 3
    known = {"x": x, "y": y, "z": z}
    assert [grad.item() for grad in torch.autograd.grad(z, [known[name] for name in inputs])] == found


def test_a_hook_on_several_tensors_of_which_one_has_no_way_back() -> None:
    """It would wait in vain for the gradient of a view that was made under no_grad."""
    w = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        view = w[:2]
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        torch.autograd.graph.register_multi_grad_hook([view, w], print)


def test_threads_differentiate_side_by_side() -> None:
    """no_grad in one thread must not stop recording in another."""
    program = """
import threading
import minigrad as torch
from minigrad.autograd import grad_mode
results, barrier = [], threading.Barrier(2, timeout=20)
def inference():
    with torch.no_grad():
        barrier.wait(); barrier.wait()
        results.append((torch.ones(1, requires_grad=True) * 2).requires_grad)
def training():
    barrier.wait()
    x = torch.ones(1, requires_grad=True)
    (x * 2).backward()
    results.append(x.grad.item())
    barrier.wait()
threads = [threading.Thread(target=inference), threading.Thread(target=training)]
[t.start() for t in threads]; [t.join(20) for t in threads]
print(sorted(map(str, results)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    assert done.stdout.strip() == "['2.0', 'False']", done.stderr


def test_recorded_gradients_add_up_too() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for times in (1, 2):
        (x**2).sum().backward(create_graph=True)
        assert x.grad.tolist() == [2.0 * times, 4.0 * times]
    (second,) = torch.autograd.grad(x.grad.sum(), x)
    assert second.tolist() == [4, 4]


def test_threads_add_to_the_gradient_of_one_leaf_in_turn() -> None:
    """numpy lets other threads run while it adds large arrays, and two additions at once would lose one."""
    w = torch.zeros(100_000, requires_grad=True)

    def work() -> None:
        for _ in range(40):
            w.sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert w.grad.min().item() == w.grad.max().item() == 160


@pytest.mark.parametrize("folder", ["minigrad", "minigrad/lessons", "notes"])
def test_anomaly_mode_names_the_line_wherever_the_script_lies(folder: str, tmp_path: Path) -> None:
    """The root of a clone is called minigrad, too: what lies there is the learner's, not the package's."""
    script = tmp_path / folder / "first_steps.py"
    script.parent.mkdir(parents=True)
    script.write_text(
        "import minigrad as torch\n"
        "with torch.autograd.detect_anomaly():\n"
        "    x = torch.tensor(-1.0, requires_grad=True)\n"
        "    y = x.sqrt()  # the line to be named\n"
        "    y.backward()\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    assert "returned nan values" in done.stderr
    assert "the line to be named" in done.stderr
    assert "No forward pass information" not in done.stderr


def test_a_node_has_its_own_type_wherever_it_is_met() -> None:
    """Nodes are plain inside the engine: whoever is handed one, by whatever way, must see MulBackward0."""
    x = torch.ones(2, requires_grad=True)
    edge = torch.autograd.graph.get_gradient_edge(x * 2)
    assert type(edge.node).__name__ == "MulBackward0"


@pytest.mark.parametrize("use", ["h.tanh()", "h * 2", "h + torch.ones(2, 3)"])
@pytest.mark.parametrize("is_leaf", [False, True])
def test_a_shape_changed_behind_the_graph_is_noticed(use: str, is_leaf: bool) -> None:
    """An operation element by element takes the shape from the node before; here that node knows another one."""
    x = torch.ones(3, 2, requires_grad=True)
    names = {"torch": torch, "h": x if is_leaf else x * 2, "used before": x * 3}  # the leaf's AccumulateGrad is kept
    names["h"].data = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match=r"got \[2, 3\] but expected shape compatible with \[3, 2\]"):
        eval(use, names).sum().backward()


def test_a_number_in_the_place_of_a_matrix_is_noticed() -> None:
    h = torch.ones(3, 2, requires_grad=True) * 2
    h.data = torch.ones(())
    with pytest.raises(RuntimeError, match=r"got \[\] but expected shape compatible with \[3, 2\]"):
        (h * 2).backward()


@pytest.mark.parametrize("change", ["w.squeeze_()", "setattr(w, 'data', torch.tensor(2.0))"])
@pytest.mark.parametrize("used_before", [False, True])
def test_one_element_that_becomes_a_number_slows_nothing_down(change: str, used_before: bool) -> None:
    """Of such a tensor the gradients are looked at; all other operations of the process stay as fast as they were."""
    w = torch.ones(1, requires_grad=True)
    used = (w * 3).sum() if used_before else None  # keeps the leaf's AccumulateGrad, and with it the old shape
    before = set(grad_mode.unusual)
    with torch.no_grad():
        eval(change, {"w": w, "torch": torch})
    assert grad_mode.unusual == before, "every operation of the process now takes the long way"
    if used is None:
        (w * 2).backward()
        assert (w.grad.item(), tuple(w.grad.shape)) == (2, ())
    else:  # as PyTorch
        with pytest.raises(RuntimeError, match=r"got \[\] but expected shape compatible with \[1\]"):
            (w * 2).backward()


def test_a_type_changed_behind_the_graph_is_noticed() -> None:
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    h.data = torch.ones(2, dtype=torch.float64)
    (h * 3).tanh().sum().backward()
    assert x.grad.dtype is torch.float32


def test_a_batch_of_one_gradient_is_a_batch() -> None:
    """A Jacobian by `is_grads_batched` of a function with a single result: one row, and None for what is unused."""
    x, unused = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2, requires_grad=True)
    y = (x * x).sum(0, keepdim=True)
    given = torch.autograd.grad(y, [x, unused], torch.ones(1, 1), is_grads_batched=True, allow_unused=True)
    assert given[0].tolist() == [[2, 4]]
    assert given[1] is None


def test_all_that_was_saved_says_that_it_is_freed() -> None:
    """Of an operation of three tensors, too: who looks at a node after backward is told why nothing is there."""
    x, y, w = (torch.ones(2, 2, requires_grad=True) for _ in range(3))
    mixed = x.addmm(y, w)
    mixed.sum().backward()
    for name in ("mat1", "mat2"):
        with pytest.raises(RuntimeError, match="after they have already been freed"):
            getattr(mixed.grad_fn, f"_saved_{name}")


def test_what_detach_has_taken_out_of_the_graph_is_refused_with_its_views() -> None:
    """Or a second derivative through it would silently be too small. Who saves it afterwards takes it as it is."""
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    part = y[1:]
    before = (part * part).sum()
    y.detach_()
    (y * x).sum().backward()
    assert x.grad.tolist() == [2, 2, 2]
    assert y._version == 0
    with pytest.raises(RuntimeError, match="detached in-place"):
        before.backward()


def test_a_node_whose_hooks_were_taken_away_costs_nothing_more():
    w = torch.tensor(2.0, requires_grad=True)
    y = w * w
    leaf = y.grad_fn.next_functions[0][0]
    kept = y.grad_fn.metadata
    handles = [node.register_prehook(lambda grads: None) for node in (leaf, y.grad_fn)]
    y.backward(retain_graph=True)
    assert leaf._extras is not None
    for handle in handles:
        handle.remove()
    y.backward(retain_graph=True)
    assert leaf._extras is None
    kept["note"] = "mine"  # who has asked for the metadata may still write into it
    assert y.grad_fn.metadata == {"note": "mine"}
    seen = []
    leaf.register_prehook(lambda grads: seen.append(grads[0].item()))
    y.backward()
    assert seen == [4.0]


def test_a_node_that_is_called_wants_as_many_gradients_as_it_has_outputs() -> None:
    x = torch.ones(3, requires_grad=True)
    g = torch.ones(3)
    for node in ((x * x).grad_fn, x.exp().grad_fn, (x + x).grad_fn, x.split(1)[0].grad_fn):
        count = len(node._input_metadata)
        for given in {0, 2, 4}:
            with pytest.raises(TypeError, match=f"expected {count} arguments, got {given} instead"):
                node(*[g] * given)


@pytest.mark.parametrize("looked_at", ["not at all", "by anomaly mode", "by a hook"])
def test_who_looks_at_a_gradient_changes_nothing_about_it(looked_at: str) -> None:
    """A leaf takes it as it is, of the size that it had in the forward pass; a copy would be made in its new size."""
    x = torch.ones(3, requires_grad=True)
    if looked_at == "by a hook":
        x.register_hook(lambda grad: None)
    y = (x + x).sum()
    x.data = torch.ones(2)
    with torch.autograd.set_detect_anomaly(looked_at == "by anomaly mode"):
        y.backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_what_a_function_notes_on_its_ctx_is_there_in_backward() -> None:
    """Under whatever name: the ctx is the node, and the engine's own notes must not take the names of users."""

    class Flat(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx._shape, ctx._dtype, ctx._size, ctx._dim = x.shape, x.dtype, 6, 0
            return x.reshape(-1).double()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            assert (ctx._size, ctx._dim) == (6, 0)
            return grad.reshape(ctx._shape).to(ctx._dtype)

    x = torch.ones(2, 3, requires_grad=True)
    Flat.apply(x).sum().backward()
    assert x.grad.tolist() == [[1, 1, 1]] * 2
