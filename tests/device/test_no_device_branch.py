"""Operations, engine, modules and optimizers do not know of devices: one source for both.

Looks at the code itself for what could tell one device from another.
"""

import ast
from pathlib import Path

import minigrad

CORE = Path(minigrad.__file__).parent
BLIND = ("ops", "functions", "autograd", "nn", "optim")
TELLING = {"cupy", "cupyx", "cuda", "is_cuda", "is_cpu", "cpu", "CPU", "gpu_used"}

# Who may know, and why.
KNOWING = {
    "ops/places.py": "operands in two places: what PyTorch allows, and its error for the rest",
    "functions/indexing.py _entry": "an index comes to the tensor, but not from a GPU to the CPU: PyTorch's error",
    "autograd/graph.py __init__": "transfer, of what is saved",
    "functions/methods.py": "transfer, where a user asks for it: `x.cpu()`, `x.cuda()`",
    "nn/module.py cuda": "transfer",
    "nn/module.py cpu": "transfer",
}


def told(tree: ast.AST) -> set[str]:
    """The functions ("" for a module's own lines) in which a telling name or text stands."""
    found: set[str] = set()

    def visit(node: ast.AST, function: str) -> None:
        function = node.name if isinstance(node, ast.FunctionDef) else function
        name = getattr(node, "id", None) or getattr(node, "attr", None)
        text = node.value if isinstance(node, ast.Constant) else None
        if name in TELLING or (isinstance(text, str) and text in ("cuda", "cpu")):
            found.add(function)
        for child in ast.iter_child_nodes(node):
            visit(child, function)

    visit(tree, "")
    return found


def test_only_those_who_must_know_a_device() -> None:
    found = {
        f"{path.relative_to(CORE).as_posix()} {function}".strip()
        for folder in BLIND
        for path in sorted((CORE / folder).glob("*.py"))
        for function in told(ast.parse(path.read_text(encoding="utf-8")))
    }
    named = {place if place in KNOWING else place.split()[0] for place in found}
    assert named == set(KNOWING)


def test_a_planted_branch_is_seen() -> None:
    assert told(ast.parse("def exp(self):\n    return self if self.device.type == 'cuda' else -self")) == {"exp"}
    assert told(ast.parse("def exp(self):\n    if isinstance(self, cupy.ndarray): return 1")) == {"exp"}
