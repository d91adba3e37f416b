"""A checkpoint saves nothing inside and computes again in backward, with the same dropout: the same gradients."""

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
block = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Dropout(0.5), nn.Linear(32, 4))
x = torch.randn(8, 4, requires_grad=True)


def gradients(run):
    torch.manual_seed(1)
    saved = []
    with saved_tensors_hooks(lambda t: saved.append(t.numel()) or t, lambda t: t):
        out = run(x)
    return torch.autograd.grad(out.sum(), [x, *block.parameters()]), sum(saved)


plain, much = gradients(block)
again, little = gradients(lambda x: checkpoint(block, x, use_reentrant=False))
print(all(torch.equal(p, q) for p, q in zip(plain, again)), little < much)
