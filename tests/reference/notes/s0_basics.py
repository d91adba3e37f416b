# Code cells quoted from a Chinese PyTorch note, to the letter, slips included: facts about an outside source, not our
# code. A cell starts at "# %%"; cells of one file share their variables, as in a notebook. Cells marked "ours" supply
# what the note leaves undefined.

# %% two ways to create
#第一种
gemfield = torch.empty(7, 19)
gemfield = torch.rand(7, 19)
gemfield = torch.zeros(7, 19, dtype=torch.long)
gemfield = torch.tensor([7.0, 19])

#第二种
gemfield = torch.Tensor([1,2])

# %% ours: show it
print(gemfield)

# %% changing the flag of a result
import torch
a = torch.randn(2, 2)
a = ((a * 3) / (a - 1))
print(a.requires_grad) #False
a.requires_grad_(True)
print(a.requires_grad) #True
b = (a * a).sum()
print(b.requires_grad) #True
b.requires_grad_(False)
print(b.requires_grad) #runtime err

# %% backward of names the note has not defined
# i.e 求 d(out)/d(x)
out.backward()
print(x.grad)

# %% ours: a scalar out of x
x = torch.ones(2, 2, requires_grad=True)
out = ((x + 2) * (x + 2) * 3).mean()

# %% backward of a scalar
# i.e 求 d(out)/d(x)
out.backward()
print(x.grad)

# %% ours: a vector y of x
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 2
while y.detach().norm() < 1000:
    y = y * 2

# %% backward of a vector
v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
y.backward(v)
print(x.grad)
