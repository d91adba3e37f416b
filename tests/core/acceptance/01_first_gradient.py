"""A number computed from others knows its gradient: `backward` fills `.grad` of what asked for it."""

import torch

weight = torch.tensor([0.5, -1.0], requires_grad=True)
bias = torch.tensor(0.25, requires_grad=True)
inputs = torch.tensor([[1.0, 2.0], [3.0, 4.0], [-1.0, 0.5]])
wanted = torch.tensor([1.0, 0.0, 2.0])

guess = inputs @ weight + bias
loss = ((guess - wanted) ** 2).mean()
print(guess, loss)
print(guess.grad_fn.name(), loss.grad_fn.name(), weight.grad_fn)
print(weight.grad, bias.grad)

loss.backward()
print(weight.grad, bias.grad, inputs.grad)

by_hand = 2 * (guess - wanted).detach() / len(wanted)
print(torch.allclose(weight.grad, by_hand @ inputs), torch.allclose(bias.grad, by_hand.sum()))
