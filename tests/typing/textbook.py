"""What a textbook writes, for a type checker to read: each line is right, and an editor must not say otherwise."""

import minigrad as torch
import minigrad.nn.functional as F
from minigrad import Tensor, nn
from minigrad.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, hidden)
        self.last = nn.Linear(hidden, 1)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        return self.last(F.relu(self.first(x))) * self.scale


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


torch.manual_seed(0)
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.zeros(2) + torch.arange(2) - torch.rand(2) / torch.randn(2)
loss = (a.sin() * torch.exp(b) + torch.cat([a, b])[:2]).sum()
loss.backward()
assert a.grad is not None
print(a.grad.shape, a.grad.mean().item(), loss.grad_fn.name() if loss.grad_fn else "")
(da,) = torch.autograd.grad(Cube.apply(a).sum(), a)
x, y = torch.stack([b, b]), torch.relu(input=b).unsqueeze(1)
model = Net(hidden=4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2)
for _epoch in range(2):
    for features, target in DataLoader(TensorDataset(x, y), batch_size=1, shuffle=True):
        optimizer.zero_grad()
        error = F.mse_loss(model(features), target)
        error.backward()
        optimizer.step()
    scheduler.step()
with torch.no_grad():
    for name, parameter in model.named_parameters():
        parameter -= 0.1 * torch.ones_like(parameter)
        print(name, parameter.to(torch.float64).max(), float(parameter.sum()), len(parameter))
print(nn.Sequential(nn.Linear(2, 3), nn.ReLU())(x).argmax(dim=1).tolist(), torch.linalg.norm(x), torch.float32)
