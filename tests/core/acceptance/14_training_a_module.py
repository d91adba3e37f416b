"""The usual loop: a module, a loss, an optimizer, batches from a loader; then evaluation and a saved state."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
points = torch.randn(96, 2)
labels = (points[:, 0] * points[:, 1] > 0).long()
loader = DataLoader(TensorDataset(points, labels), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)

for _ in range(30):
    for batch, target in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(batch), target)
        loss.backward()
        optimizer.step()
print(model)
model.eval()
with torch.no_grad():
    right = (model(points).argmax(1) == labels).float().mean()
print(right > 0.85, sum(p.numel() for p in model.parameters()))

copy = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
print(copy.load_state_dict(model.state_dict()), list(model.state_dict()))
print(torch.equal(copy.eval()(points), model(points)))
