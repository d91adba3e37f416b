"""The graph can be walked: each node names its operation, what it saved, and where it sends its gradients."""

import torch

a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
out = (a.exp() * b).sum() / 2


def walk(node, depth=0):
    print("  " * depth + (type(node).__name__ if node is not None else "nothing: a constant"))
    for child, _ in getattr(node, "next_functions", ()):
        walk(child, depth + 1)


walk(out.grad_fn)
times = out.grad_fn.next_functions[0][0].next_functions[0][0]
print(times.name(), times._saved_self, times._saved_other)
accumulate = times.next_functions[1][0]
print(accumulate.variable is b, accumulate.next_functions)
