"""Hooks run in an order: of a tensor, before a node, after it, when a gradient has arrived, and when several have."""

import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
product = a * b
result = product.exp()
product.grad_fn.register_prehook(lambda grads: print("before", product.grad_fn.name(), grads[0] > 0))
product.grad_fn.register_hook(lambda made, got: print("after", len(made), len(got)))
product.register_hook(lambda grad: print("tensor", grad.shape))
a.register_hook(lambda grad: grad / grad)
a.register_post_accumulate_grad_hook(lambda leaf: print("a has", leaf.grad))
handle = register_multi_grad_hook((a, b), lambda grads: print("both", [g is not None for g in grads]))
result.backward()
print(a.grad, b.grad > 800)
handle.remove()
