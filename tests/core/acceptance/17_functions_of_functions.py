"""`torch.func`: gradients as functions, over a whole batch, of a module whose parameters are an argument."""

import torch
from torch.func import functional_call, grad, jacrev, vmap

print(grad(torch.sin)(torch.tensor(0.0)), grad(grad(torch.sin))(torch.tensor(1.0)))
print(jacrev(lambda x: x**2)(torch.tensor([1.0, 2.0])), jacrev(grad(torch.prod))(torch.tensor([1.0, 2.0, 3.0])))
print(vmap(torch.dot)(torch.ones(2, 3), torch.arange(6.0).view(2, 3)))

torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
parameters = {name: p.detach() for name, p in model.named_parameters()}
samples, targets = torch.randn(5, 3), torch.randn(5, 1)


def loss_of(parameters, sample, target):
    return (functional_call(model, parameters, (sample,)) - target).pow(2).sum()


each = vmap(grad(loss_of), in_dims=(None, 0, 0))(parameters, samples, targets)
print({name: tuple(g.shape) for name, g in each.items()})
(model(samples) - targets).pow(2).sum().backward()
print(torch.allclose(each["weight"].sum(0), model.weight.grad, atol=1e-6), model.weight.requires_grad)
