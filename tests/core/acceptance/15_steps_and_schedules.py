"""What a loop may need besides: gradients over several batches, clipping, momentum, decay and a schedule."""

import torch

w = torch.nn.Parameter(torch.tensor([5.0, -3.0]))
optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9, weight_decay=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for _ in range(4):
    for part in torch.tensor([[1.0, 0.0], [0.0, 2.0]]):
        ((w - part) ** 2).sum().div(2).backward()
    norm = torch.nn.utils.clip_grad_norm_([w], max_norm=3.0)
    optimizer.step()
    optimizer.zero_grad()
    schedule.step()
    print(f"{norm.item():.4f}", w.data, schedule.get_last_lr(), w.grad)
print(sorted(optimizer.state_dict()), optimizer)
