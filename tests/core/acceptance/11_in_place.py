"""Writing in place is fine where nobody needs the old numbers; otherwise the version counter notices."""

import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
y.add_(1)
y[0] = 0
print(y, y.grad_fn.name(), y._version)
y.sum().backward()
print(x.grad)

z = x.exp()
z.mul_(2)
try:
    z.sum().backward()
except RuntimeError as error:
    print(str(error).split(":")[0])
try:
    x.add_(1)
except RuntimeError as error:
    print(error)

base = torch.zeros(2, 2)
row = base[0]
row += x[:2]
print(base, row._base is base, base.grad_fn.name(), row._version == base._version)
(base * 10).sum().backward()
print(x.grad)
