"""Only leaves keep their gradient; a result in between keeps it when it is asked to."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
made = torch.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1
constant = torch.ones(3)
y = x * constant
z = y.relu()
z.retain_grad()
for name, t in (("x", x), ("made", made), ("constant", constant), ("y", y), ("z", z), ("detached", y.detach())):
    print(name, t.is_leaf, t.requires_grad, t.grad_fn is None)

z.sum().backward()
print(x.grad, z.grad, z.retains_grad, y.retains_grad)
moved = x.detach().requires_grad_()
print(moved.is_leaf, moved.requires_grad, moved.data_ptr() == x.data_ptr())
try:
    y.requires_grad = False
except RuntimeError as error:
    print(str(error).split(".")[0])
