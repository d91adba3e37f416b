"""A gradient has the shape of its tensor: broadcasting sums, indexing puts back, and ties share as PyTorch says."""

import torch

rows = torch.tensor([[1.0], [2.0]], requires_grad=True)
columns = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
(rows * columns).sum().backward()
print(rows.grad, columns.grad)

x = torch.tensor([3.0, -1.0, 3.0, 0.0], requires_grad=True)
for name, f in {
    "max": torch.max, "max along": lambda x: x.max(0).values, "amax": lambda x: x.amax(0),
    "relu": lambda x: x.relu().sum(), "abs": lambda x: x.abs().sum(), "clamp": lambda x: x.clamp(0, 2).sum(),
    "twice": lambda x: x[[0, 0, 1]].sum(),
    "slice": lambda x: x[1::2].sum(), "sort": lambda x: (x.sort().values * torch.arange(4.0)).sum(),
    "cat": lambda x: torch.cat([x, x[:1]]).prod(), "view": lambda x: (x.view(2, 2).t() @ torch.ones(2, 1)).sum(),
    "where": lambda x: torch.where(x > 0, x * 2, x).sum(), "norm": lambda x: x.norm(), "std": lambda x: x.std(),
    "softmax": lambda x: x.softmax(0)[0], "split": lambda x: x.split_with_sizes([1, 3])[1].sum(),
}.items():  # fmt: skip
    print(name, torch.autograd.grad(f(x), x)[0])
