"""A nan is traced to the operation that made it: anomaly mode names the node, and the line of the forward pass."""

import warnings

import torch

x = torch.tensor([0.0, 4.0], requires_grad=True)
root = torch.sqrt(x)
(root * torch.tensor([0.0, 1.0])).sum().backward()
print(x.grad)

with warnings.catch_warnings(record=True) as caught, torch.autograd.detect_anomaly():
    warnings.simplefilter("always")
    out = (torch.sqrt(x) * torch.tensor([0.0, 1.0])).sum()
    try:
        out.backward()
    except RuntimeError as error:
        print(error)
traced = next(str(w.message) for w in caught if "Error detected" in str(w.message))
print(traced.split(".")[0], "torch.sqrt(x)" in traced)
safe = torch.where(x > 0, x, 1.0).sqrt()
print(torch.autograd.grad(safe.sum(), x))
