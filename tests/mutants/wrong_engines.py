"""Engines that are wrong in one place, as people get them wrong: the tests must notice each."""

from __future__ import annotations

from typing import NamedTuple


class Wrong(NamedTuple):
    """What is wrong, in which file of minigrad/, and what stands there instead of what."""

    what: str
    file: str
    right: str
    wrong: str


WRONG_ENGINES = [
    Wrong(
        "a second backward assigns instead of adding",
        "autograd/accumulate.py",
        "        old._value += grads[0]\n",
        "        old._value[...] = grads[0]\n",
    ),
    Wrong(
        "of several paths the last one wins",
        "autograd/accumulate.py",
        "        held[output_nr] = held[output_nr] + grad",
        "        held[output_nr] = grad",
    ),
    Wrong(
        "a gradient is added into an array that somebody else holds",
        "autograd/accumulate.py",
        "    elif not create_graph and may_write(held, output_nr):",
        "    elif not create_graph:",
    ),
    Wrong(
        "a node runs when its first gradient has come",
        "autograd/engine.py",
        "                    if to in waiting_for and (left := waiting_for[to]):  # it must wait for these\n"
        "                        waiting_for[to] = left - 1\n"
        "                        continue\n",
        "",
    ),
    Wrong(
        "the oldest node runs first",
        "autograd/node.py",
        "next_key = itertools.count(0, -1).__next__",
        "next_key = itertools.count(0, 1).__next__",
    ),
    Wrong(
        "what was broadcast is averaged, not summed",
        "autograd/accumulate.py",
        "        grad = grad.sum(axis=tuple(range(leading)))",
        "        grad = grad.mean(axis=tuple(range(leading)))",
    ),
    Wrong(
        "only leading dimensions are summed",
        "autograd/accumulate.py",
        "for i, size in enumerate(shape) if size == 1 and grad.shape[i] != 1])",
        "for i, size in enumerate(shape) if False])",
    ),
    Wrong(
        "a saved tensor that was written since is used as it is",
        "autograd/saved.py",
        "        if value._counter is not None and value._counter[0] != version:\n",
        "        if False:\n",
    ),
    Wrong(
        "the two operands of a product are not checked for writes",
        "ops/formulas.py",
        "isinstance(b, TensorBase) and ((n := b._counter) is None or n[0] == version_b)",
        "isinstance(b, TensorBase)",
    ),
    Wrong(
        "nothing is freed after backward",
        "autograd/engine.py",
        "            if not keep_graph and (saved := node._saved):",
        "            if False and (saved := node._saved):",
    ),
    Wrong(
        "tensor hooks run in the reverse order",
        "autograd/hooks.py",
        "    for hook in tuple(hooks.values()):",
        "    for hook in reversed(tuple(hooks.values())):",
    ),
    Wrong(
        "a mode is not put back",
        "autograd/grad_mode.py",
        "        mode.__dict__.update(self.previous)  # before anything else, and not by a call: see above\n"
        "        restore(self.previous)\n",
        "        pass\n",
    ),
    Wrong(
        "the derivative of tanh has the wrong sign",
        "ops/activation.py",
        "grad * (one_beside(result) - result * result)",
        "grad * (one_beside(result) + result * result)",
    ),
    Wrong(
        "the gradient of a matrix product is half of what it should be",
        "ops/linalg.py",
        "    return mm(A, B) if isinstance(A, TensorBase) else A.dot(B)",
        "    return mm(A, B) if isinstance(A, TensorBase) else A.dot(B) / 2",
    ),
]
