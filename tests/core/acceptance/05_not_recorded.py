"""Recording can be stopped: for a block, for a function, for one tensor, or for good."""

import torch

x = torch.ones(2, requires_grad=True)


@torch.no_grad()
def evaluate(t):
    return (t * 2).requires_grad


with torch.no_grad():
    inside = x * 2
    with torch.enable_grad():
        again = x * 2
print(inside.requires_grad, again.requires_grad, evaluate(x), torch.is_grad_enabled())
with torch.inference_mode():
    fast = x + 1
print(fast.is_inference(), fast.requires_grad)
try:
    (fast * x).sum().backward()
except RuntimeError as error:
    print(str(error).split(".")[0])
with torch.set_grad_enabled(False):
    print((x + 1).grad_fn)

layer = torch.nn.Linear(2, 1)
layer.weight.requires_grad_(False)
layer(x.detach()).sum().backward()
print(layer.weight.grad, layer.bias.grad)
with torch.no_grad():
    x -= 0.5 * torch.ones(2)
print(x)
