"""Gradients add up over several passes until they are zeroed, and a graph serves one pass unless it is kept."""

import torch

w = torch.tensor(3.0, requires_grad=True)
for step in range(3):
    (w * 2).backward()
    print(step, w.grad)
w.grad.zero_()
print(w.grad)
w.grad = None

square = w**2
square.backward(retain_graph=True)
square.backward()
print(w.grad)
try:
    square.backward()
except RuntimeError as error:
    print(str(error).split(".")[0])
try:
    torch.ones(2).sum().backward()
except RuntimeError as error:
    print(error)
print(torch.autograd.grad(w**3, w), w.grad)
