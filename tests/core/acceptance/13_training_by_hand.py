"""A network trained without modules and optimizers: forward, backward, a step under `no_grad`, and zero."""

import torch

torch.manual_seed(0)
x = torch.linspace(-3, 3, 64).unsqueeze(1)
y = torch.sin(x)
w1, b1 = torch.randn(1, 16), torch.zeros(16)
w2, b2 = torch.randn(16, 1) / 4, torch.zeros(1)
parameters = [w1, b1, w2, b2]
for p in parameters:
    p.requires_grad_()

for step in range(401):
    loss = (torch.tanh(x @ w1 + b1) @ w2 + b2 - y).pow(2).mean()
    if step % 200 == 0:
        print(step, f"{loss.item():.2f}")
    loss.backward()
    with torch.no_grad():
        for p in parameters:
            p -= 0.1 * p.grad
            p.grad = None
print(all(p.is_leaf and p.requires_grad for p in parameters))
