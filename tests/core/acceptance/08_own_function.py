"""An operation of one's own: its forward, its derivative, and a check by small differences."""

import torch


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(x, scale):
        return scale * x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.scale = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * ctx.scale * 3 * x**2 if ctx.needs_input_grad[0] else None, None


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
y = Cubed.apply(x, 2)
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad)
print(torch.autograd.gradcheck(lambda x: Cubed.apply(x, 2), x), torch.autograd.gradgradcheck(Cubed.apply, (x, 2)))


class Wrong(Cubed):
    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


print(torch.autograd.gradcheck(Wrong.apply, (x, 1), raise_exception=False))
