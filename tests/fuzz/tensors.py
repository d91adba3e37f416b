"""Random tensor programs: operations, views, writes in place, hooks, Functions, checkpoint, torch.func, gradients."""

from __future__ import annotations

import random
from types import ModuleType

from tests.fuzz.writing import Writer, words

RESULTS = words("""
    {a} + {b}   {a} - {b}   {a} * {b}   {a} / {b}   {a} ** 2   {a} ** 3   {a} * 2   2 - {a}   1 / {a}   -{a}
    {a} @ {b}   {a}.exp()   {a}.sin()   {a}.cos()   {a}.tanh()   {a}.sigmoid()   {a}.relu()   {a}.abs()   {a}.square()
    {a}.log1p()   {a}.abs().sqrt()   {a}.abs().log()   {a}.atan()   {a}.erf()   {a}.expm1()   {a}.reciprocal()
    {a}.clamp(-1, 1)   {a}.clamp(min=0)   {a}.sign()   {a}.floor()   {a}.sinh()
    {a}.softmax(-1)   {a}.log_softmax(0)   {a}.sum()   {a}.sum(0)   {a}.sum(-1, keepdim=True)
    {a}.mean()   {a}.mean(0)   {a}.prod()   {a}.prod(0)   {a}.var()   {a}.std(0)   {a}.norm()   {a}.norm(dim=0)
    {a}.norm(1)   {a}.max()   {a}.min()   {a}.max(0)[0]   {a}.min(-1)[0]   {a}.amax(0)   {a}.amin()   {a}.cumsum(0)
    {a}.sort(0)[0]   {a}.topk(1)[0]   {a}.flip(0)   {a}.roll(1, 0)
    {a}.tril()   {a}.triu(1)   {a}.diag()   {a}.clone()
    {a}.contiguous()   {a}.repeat(2, 1)   {a}.outer({b})   {a}.dot({b})   {a}.mv({b})
    {a}.mm({b})   {a}.matmul({b})   {a}.lerp({b}, 0.25)   {a}.double()   {a}.float()   {a}.to(torch.float64)
    {a}.to({b})   {a}.detach()   {a}.detach().clone()   {a}.t() @ {a}
    {a}.masked_fill({a} > 0, 1.5)   {a}[{a} > 0]
    {a}.gather(0, torch.zeros_like({a}, dtype=torch.int64))
    torch.nn.functional.dropout({a}.contiguous(), 0.3)   torch.nn.functional.dropout({a}.contiguous().mT)
    torch.zeros_like({a}.contiguous().mT).normal_(1, 2)   torch.zeros_like({a}.contiguous().t()).uniform_(1, 3)
    torch.rand_like({a}.contiguous().t())   torch.randn_like({a}.contiguous().mT)
    torch.nn.functional.embedding({a}.argmax(), {b})   {a}[np.array(1)]   {a}[:, np.array(-1)]
    {a}[[1, 0]]   {a}[torch.tensor([0, 0])]   {a}[[0, 1], [1, 0]]   {a}[k]   {a}[k, k]   {a}[m]   {a}[None, m]
    torch.cat([{a}, {b}])   torch.cat([{a}, {b}], -1)   torch.stack([{a}, {b}])   torch.where({a} > 0, {a}, {b})
    torch.maximum({a}, {b})   torch.minimum({a}, {b})
    torch.einsum('ij,jk->ik', {a}, {b})   torch.einsum('i,i->', {a}, {b})   torch.einsum('ij->j', {a})
    torch.addmm({a}, {b}, {b})   torch.bmm({a}, {b})   torch.linalg.det({a})
    torch.linalg.inv({a})   torch.linalg.norm({a})
    torch.nn.functional.relu({a})   torch.nn.functional.gelu({a})   torch.nn.functional.softplus({a})
    torch.nn.functional.elu({a})   torch.nn.functional.silu({a})   torch.nn.functional.leaky_relu({a}, 0.1)
    torch.nn.functional.linear({a}, {b})   torch.nn.functional.layer_norm({a}, {a}.shape[-1:])
    torch.nn.functional.mse_loss({a}, {b})   torch.nn.functional.l1_loss({a}, {b})
    torch.nn.functional.normalize({a}, dim=0)
    {a}.scatter(0, torch.zeros(1, 2).long(), 1.5)
    {a}.new_ones(2, 3)   torch.zeros_like({a})
    {a}.expand(2, *{a}.shape) * 1   {a}.half()   {a}.long()   {a} > {b}   {a} == {b}   {a}.argmax()   {a}.pow({b})
    ({a} * {b}).sum()   ({a} * {a}).mean()   ({a} - {b}).square().mean()
    Part.apply({a}, 3)[0]   Part.apply({a}, 0.5, {b})[0]   Part.apply({a}, 2)[1]   Cube.apply({a})
    Twice.apply({a} * 1)   checkpoint(lambda x: (x * x).sin(), {a}, use_reentrant=False)
    torch.func.vmap(lambda x: (x * x).sum())({a})   checkpoint(lambda x, y: x * y + x, {a}, {b}, use_reentrant=False)
    torch.func.grad(lambda x: (x * x).sum())({a})
    checkpoint(lambda x, k, y: x * y if k is None else x * k, {a}, None, {b}, use_reentrant=True)
    checkpoint(lambda x: x.exp() * 2, {a}, use_reentrant=True)   torch.func.jacrev(lambda x: x * x)({a})
    torch.func.hessian(lambda x: (x ** 3).sum())({a})   torch.func.vjp(lambda x: x.sin(), {a})[0]
    torch.func.jvp(lambda x: x * x, ({a},), ({a},))[1]
    torch.func.grad(lambda x, y: (x * y).sum(), argnums=1)({a}, {b})
    torch.func.vmap(torch.func.grad(lambda x: x.square().sum()))({a})   torch.func.jacfwd(lambda x: x.exp())({a})
    torch.autograd.functional.jacobian(lambda x: x ** 2, {a})   torch.autograd.functional.vjp(torch.sin, {a}, {a})[1]
    torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), {a}, {a})[1]
    torch.autograd.grad({a}.sum(), {b}, retain_graph=True)[0]
    torch.autograd.grad(({a} * {a}).sum(), {b}, create_graph=True)[0]
    torch.autograd.grad({a}, {b}, torch.ones_like({a}), create_graph=True)[0]
    torch.autograd.grad({a}.sum(), [{b}], retain_graph=True, allow_unused=True)[0]
    torch.autograd.grad({a}.sum(), {b}, create_graph=True, materialize_grads=True)[0]
""")
VIEWS = words("""
    {a}[0]   {a}[1:]   {a}[..., 0]   {a}[None]   {a}.t()   {a}.T   {a}.view(-1)   {a}.reshape(-1)   {a}.view(3, 2)
    {a}.unsqueeze(0)   {a}.squeeze()   {a}.transpose(0, 1)   {a}.permute(*range({a}.dim())[::-1])   {a}.flatten()
    {a}.diagonal()   {a}.select(0, 1)   {a}.unbind()[0]   {a}.split(1)[0]   {a}.chunk(2)[1]
    {a}.expand(2, *{a}.shape)   {a}[::2]   {a}[:, 1]   {a}.view_as({a})
    {a}.detach()   {a}.data   {a}.mT   {a}.expand_as({b})   {a}.broadcast_to(2, *{a}.shape)
    {a}.swapaxes(0, 1)   {a}[:, :2]   {a}[-1]   {a}.view({b}.shape)   {a}.reshape({b}.shape)
    {a}.unflatten(0, (1, -1))
""")
PAIRS = words("""
    {a}.split(1)   {a}.chunk(2)   {a}.unbind()   {a}.max(0)
    Both.apply({a}, {b})   Lazy.apply({a}, {b})   {a}.min(-1)
    torch.func.grad_and_value(lambda x: (x * x).sum())({a})
    Part.apply({a}, 2)
""")
WRITES = words("""
    {a}.add_({b})   {a}.mul_({b})   {a}.sub_(1)   {a}.div_(2)   {a}.mul_({a})   {a} += {b}   {a} *= 2   {a} -= {b}
    {a}.zero_()   {a}.fill_(2)   {a}.copy_({b})   {a}[0] = 3   {a}[0] = {b}   {a}[1:] = 1   {a}[:, 0] *= 2
    {a}[{a} > 0] = 0   {a}[[0, 1]] = {b}   {a}.neg_()   {a}.exp_()   {a}.sin_()   {a}.tanh_()   {a}.relu_()
    {a}.square_()   {a}.clamp_(-1, 1)   {a}.pow_(2)   {a}.reciprocal_()   {a}.sigmoid_()   {a}.abs_()
    {a}.masked_fill_({a} > 0, 1)   {a}.lerp_({b}, 0.5)
    {a}.tril_()
    {a}.add_({b}, alpha=2)   {a}.view(-1)[0] = 5   {a}.detach().mul_(2)   {a}.data.add_(1)   {a}[0].mul_(2)
    {a}.t()[0] += 1   {a}.floor_()   {a}.scatter_(0, torch.zeros(1, 2).long(), 2.0)   {a}.cumsum_(0)
    {a}.fill_({b}.sum())   {a}.mul_(torch.ones(3, dtype=torch.float64))
    {a}[None][0] = 2   {a}.diagonal().mul_(3)   Twice.apply({a})   {a}[k] = {b}   {a}[m] = {b}   {a}[m] = 2
    {a}[np.array(0)] = {b}   k[0] = 1   k.zero_()   m[0] = True   m.logical_not_()
""")
OTHERS = words("""
    {a}.sum().backward(retain_graph=True)   ({a} * {a}).sum().backward(retain_graph=True)   {a}.sum().backward()
    {a}.backward(torch.ones_like({a}), retain_graph=True)   ({a} * {b}).sum().backward(retain_graph=True)
    {a}.retain_grad()   {a}.grad_fn; {a}.register_hook(lambda g: g * 2)
    {a}.grad_fn; {a}.register_hook(lambda g: log.append(g.sum()))   {a}.grad_fn; {a}.register_hook(lambda g: None)
    {a}.requires_grad_()   {a}.grad = None   {a}.grad.zero_()
    {a}.grad = torch.broadcast_tensors({a}.detach()[:1] * 0, {a})[0]; ({a} * {a}).sum().backward()   {a}.detach_()
    {a}.grad_fn.register_hook(lambda i, o: log.append(o[0]))   {a}.grad_fn.register_prehook(lambda o: (o[0] * 3,))
    {a}.register_post_accumulate_grad_hook(lambda t: log.append(t.grad.sum()))   {a}.grad.add_(1)
    torch.autograd.backward([{a}.sum(), {b}.sum()], retain_graph=True)
    {a}.sum().backward(inputs=[{b}], retain_graph=True)   ({a} ** 2).sum().backward(create_graph=True)
    {a}.grad = {b}   log.append({a}.sum().item())   log.append({a}.tolist())
    torch.autograd.graph.register_multi_grad_hook([{a}, {b}], lambda g: log.append([x is None for x in g]))
""")
BLOCKS = words("""
    with torch.no_grad(): {a}.add_({b})   with torch.no_grad(): {a}.mul_(0.5)   with torch.no_grad(): {a}.grad.zero_()
    with torch.no_grad(): {a}.copy_({b})   with torch.no_grad(): {a} -= 0.1 * {a}.grad
    with torch.enable_grad(): log.append(({a} * {b}).requires_grad)   with halved({a}): ({a} * {b}).backward()
    with torch.inference_mode(): log.append(({a} * {b}).sum().item())
    with torch.inference_mode(): log.append(torch.func.grad(lambda x: (x * x).sum())({a} + 0))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2): log.append(({a} * {b}).exp().sum())
    with torch.autograd.set_detect_anomaly(True): ({a} * {b}).sum().backward(retain_graph=True)
""")
SHAPES = [(2, 3), (3,), (3, 2), (), (1, 3), (2, 1), (3, 3), (2, 2), (2, 2, 2), (4,), (2, 3), (0, 3)]


def program(chance: random.Random, library: ModuleType) -> list[str]:
    """Two to four leaves, some lines over them, and a backward pass through what came of it."""
    writer = Writer(chance, library)
    sizes = chance.sample(SHAPES, 2)
    for name in "abcd"[: chance.randint(2, 4)]:
        kind = chance.choice(["", "", "", "", ", dtype=torch.float64", ", dtype=torch.float16"])
        tracked = ", requires_grad=True" if name == "a" or chance.random() < 0.7 else ""
        writer.line(f"{name} = torch.tensor({writer.numbers(chance.choice(sizes))}{kind}{tracked})")
    if chance.random() < 0.3:
        writer.line("k, m = torch.tensor([0, 1]), torch.tensor([True, False])")
    for _ in range(chance.randint(2, 9)):
        for _ in range(4):  # a line that does not run is drawn again
            if drawn(chance, writer):
                break
    for name in chance.sample(sorted(set(writer.tensors())), 1) if chance.random() < 0.9 else []:
        writer.line(f"({name} * {name}).sum().backward()")
    return writer.lines


def drawn(chance: random.Random, writer: Writer) -> bool:
    """One line more; whether it ran."""
    table = chance.choices([RESULTS, VIEWS, PAIRS, WRITES, OTHERS, BLOCKS], [48, 14, 6, 16, 12, 4])[0]
    text = writer.filled(chance.choice(table))
    if table is PAIRS:
        writer.count += 2
        return writer.line(f"v{writer.count - 1}, v{writer.count}, *_ = {text}", effect=False)
    if table in (RESULTS, VIEWS):
        return writer.new(text)
    return writer.line(text, effect=table is not WRITES)
