"""Random training programs: modules, losses with their options, optimizers, schedules, hooks; a few steps each."""

from __future__ import annotations

import random
from types import ModuleType

from tests.fuzz.writing import Writer, words

MIDDLES = words("""
    nn.Linear(4, 4)   nn.Linear(4, 4, bias=False)   nn.ReLU()   nn.Tanh()   nn.Sigmoid()
    nn.GELU()   nn.ELU()   nn.SELU()   nn.SiLU()   nn.Softplus()   nn.Softplus(2, 3)
    nn.LeakyReLU(0.1)   nn.Hardtanh()   nn.Hardtanh(-0.5, 0.5)
    nn.Softmax(-1)   nn.LogSoftmax(-1)
    nn.Identity()   nn.LayerNorm(4)   nn.LayerNorm(4, elementwise_affine=False)   nn.BatchNorm1d(4)
    nn.BatchNorm1d(4, affine=False)   nn.BatchNorm1d(4, momentum=None)
    nn.BatchNorm1d(4, track_running_stats=False)   nn.Flatten()
    nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 4))   nn.Dropout(0.0)   nn.GELU('tanh')
    nn.Sequential(nn.Unflatten(1, (1, 2, 2)), nn.Conv2d(1, 4, 3, padding=1), nn.AvgPool2d(2), nn.Flatten())
    nn.Sequential(nn.Unflatten(1, (1, 2, 2)), nn.Conv2d(1, 4, 2), nn.BatchNorm2d(4), nn.Flatten())
    nn.Sequential(nn.Unflatten(1, (1, 2, 2)), nn.Conv2d(1, 4, 1, bias=False), nn.MaxPool2d(2), nn.Flatten())
""")
LOSSES = words("""
    nn.MSELoss({r})(y, t)   nn.L1Loss({r})(y, t)
    nn.CrossEntropyLoss({r})(y, k)
    nn.CrossEntropyLoss(ignore_index=1{c})(y, k)
    nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.5]){c})(y, k)
    nn.CrossEntropyLoss({r})(y, t.softmax(-1))   nn.NLLLoss({r})(y.log_softmax(-1), k)
    nn.NLLLoss(weight=torch.tensor([1.0, 2.0, 0.5, 1.5]){c})(y.log_softmax(-1), k)
    nn.BCEWithLogitsLoss({r})(y, t.sigmoid())
    nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0, 0.5]){c})(y, t.sigmoid())
    nn.BCELoss({r})(y.sigmoid(), t.sigmoid())
    (y - t).square().mean()   (y * t).sum()
""")
OPTIMIZERS = words("""
    SGD(p, lr=0.05)   SGD(p, lr=0.05, momentum=0.9)   SGD(p, lr=0.05, momentum=0.9, nesterov=True)
    SGD(p, 0.05, weight_decay=0.1)   SGD(p, lr=0.05, momentum=0.5, dampening=0.1)   SGD(p, lr=0.05, maximize=True)
    Adam(p, lr=0.01)   Adam(p, betas=(0.8, 0.9))   Adam(p, lr=0.01, weight_decay=0.1)   Adam(p, amsgrad=True)
    AdamW(p, lr=0.01)   AdamW(p, weight_decay=0.3)   RMSprop(p, lr=0.01)   RMSprop(p, lr=0.01, momentum=0.5)
    RMSprop(p, centered=True)
    Adam(p, eps=1e-3, maximize=True)   SGD([{'params': p[:1], 'lr': 0.1}, {'params': p[1:]}], lr=0.01)
""")
SCHEDULES = words("""
    StepLR(o, 1, 0.5)   ExponentialLR(o, 0.9)   CosineAnnealingLR(o, 4)
""")
EXTRAS = words("""
    nn.utils.clip_grad_norm_(p, 0.5)   nn.utils.clip_grad_value_(p, 0.1)
    log.append(nn.utils.clip_grad_norm_(p, 1.0, 1))   h = n.register_forward_hook(lambda m, i, r: r * 2)
    h = n[0].register_forward_pre_hook(lambda m, i: (i[0] + 1,))
    h = n.register_full_backward_hook(lambda m, i, r: log.append([g is None for g in i]))   n.eval()   n.train()
    n.requires_grad_(False)   p[0].requires_grad_(False)   n.load_state_dict(n.state_dict())
    o.load_state_dict(o.state_dict())   o.zero_grad(set_to_none=False)   nn.init.ones_(p[0])   nn.init.uniform_(p[0])
    nn.init.zeros_(p[-1])   n.double(); n.float()   n[1].eval().train = lambda mode=True: n; n.train()
    n[0].requires_grad_(False); n.load_state_dict(n.state_dict(), assign=True); p = list(n.parameters())
""")
FORWARDS = words("""
    n(x)   n(x)   n(x)   n(x)   n(x) - n(t)   n(x) * n(x + t)
    torch.func.functional_call(n, {'0.weight': p[0] * 2}, (x,))
""")


def program(chance: random.Random, library: ModuleType) -> list[str]:
    """A network of one to four modules is trained for a few steps; all parameters and losses are looked at."""
    writer = Writer(chance, library)
    writer.line("nn = torch.nn")
    layers = ", ".join(chance.choice(MIDDLES) for _ in range(chance.randint(1, 4)))
    rows = chance.choice([2, 3, 5])
    writer.line("torch.manual_seed(1)")
    writer.line(f"n = nn.Sequential(nn.Linear(4, 4), {layers})")
    if chance.random() < 0.15:
        writer.line("n.append(nn.Linear(4, 4)); n[-1].weight = n[0].weight")
    writer.line(f"x = torch.tensor({writer.numbers((rows, 4))})")
    writer.line(f"t = torch.tensor({writer.numbers((rows, 4))})")
    writer.line(f"k = torch.tensor({[chance.randrange(4) for _ in range(rows)]})")
    writer.line("p = list(n.parameters())")
    # The gradient of what batch norm takes away again is 0 but for rounding, and others divide it by its own size.
    optimizers = [one for one in OPTIMIZERS if "BatchNorm" not in layers or one.startswith("SGD")]
    writer.line(f"o = torch.optim.{chance.choice(optimizers)}")
    schedule = chance.choice(SCHEDULES)
    if chance.random() < 0.4:
        writer.line(f"s = torch.optim.lr_scheduler.{schedule}")
    kind = chance.choice(["", "", "reduction='sum'", "reduction='mean'", "reduction='none'"])
    loss = chance.choice(LOSSES).replace("{r}", kind).replace("{c}", f", {kind}" if kind else "")
    for step in range(chance.randint(1, 4)):
        if chance.random() < 0.3:
            writer.line(chance.choice(EXTRAS))
        if chance.random() < 0.9:
            writer.line("o.zero_grad()")
        writer.line(f"y = {chance.choice(FORWARDS)}")
        writer.line(f"l{step} = {loss}{'.sum()' if 'none' in kind else ''}")
        writer.line(f"l{step}.backward()")
        if chance.random() < 0.2:
            writer.line("log.append([None if q.grad is None else q.grad.clone() for q in p])")
        writer.line("o.step()")
        if "s" in writer.variables and chance.random() < 0.9:
            writer.line("s.step()")
            writer.line("log.append(s.get_last_lr())")
            if chance.random() < 0.2:
                resumed = f"{schedule[:-1]}, last_epoch=s.last_epoch - 1)"
                writer.line(f"s = torch.optim.lr_scheduler.{chance.choice([resumed, *SCHEDULES])}")
                writer.line("log.append(s.base_lrs)")
    writer.line("log.append([b.clone() for b in n.buffers()])")
    return writer.lines
