"""How large the gradient is at each layer, seen by hooks: it shrinks far more through sigmoids than through ReLUs."""

import torch
from torch import nn


def sizes(activation):
    torch.manual_seed(0)
    layers = [part for _ in range(4) for part in (nn.Linear(8, 8), activation())]
    model, seen = nn.Sequential(*layers), {}

    def keep(module, grad_input, grad_output):
        seen[module] = grad_output[0].norm().item()

    handles = [layer.register_full_backward_hook(keep) for layer in model if isinstance(layer, nn.Linear)]
    model(torch.randn(16, 8, requires_grad=True)).pow(2).sum().backward()
    for handle in handles:
        handle.remove()
    return [seen[layer] for layer in model if isinstance(layer, nn.Linear)]


for activation in (nn.Sigmoid, nn.ReLU):
    first, *_, last = sizes(activation)
    print(activation.__name__, f"{first / last:.3f}")

x = torch.ones(3, requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("at y:", g))
y.register_hook(lambda g: g.clamp(max=1.5))
x.register_post_accumulate_grad_hook(lambda leaf: print("arrived:", leaf.grad))
(y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
