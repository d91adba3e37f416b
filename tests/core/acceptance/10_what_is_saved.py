"""What nodes save for backward can be packed and unpacked by hooks, counted, or kept elsewhere."""

import torch
from torch.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks

x = torch.arange(1.0, 5.0, requires_grad=True)
log = []


def pack(t):
    log.append(f"saved {tuple(t.shape)}")
    return t.numel(), t.detach().clone()


def unpack(packed):
    log.append(f"wanted {packed[0]} numbers")
    return packed[1]


with saved_tensors_hooks(pack, unpack):
    y = (x * x).exp().sum()
y.backward()
print(log, x.grad[:2])
with save_on_cpu():
    torch.autograd.grad(x.tanh().sum(), x)
with disable_saved_tensors_hooks("not here"):
    try:
        with saved_tensors_hooks(pack, unpack):
            x.exp()
    except RuntimeError as error:
        print(error)
result = x.exp()
print(result.grad_fn._saved_result is result, torch.equal(result.grad_fn._saved_result, result))
