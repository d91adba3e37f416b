# Code cells quoted from a Chinese PyTorch note, to the letter, slips included: facts about an outside source, not our
# code. A cell starts at "# %%"; cells of one file share their variables, as in a notebook. Cells marked "ours" supply
# what the note leaves undefined.

# %% In[2]
import torch
x1= torch.ones(3, 3)
print(x1)
x = torch.ones(2,2, requires_grad=True)
print(x)

# %% In[3]
y = x + 2
print(y)

# %% In[4]
print(x.grad_fn)
print(y.grad_fn)

# %% In[5]
z = x * 2
print(z.grad_fn)

# %% In[6]
m = y * y * 3
out = m.mean()
print(m, out)

# %% In[9]
a = torch.randn(2, 2)
print(a)
a = ((a * 3) / (a - 1))
print(a)
print(a.requires_grad)
a.requires_grad_(True)
print(a.requires_grad)
b = (a * a).sum()
print(b.grad_fn)

# %% In[11]
print(out)
out.backward()
print(x.grad)

# %% In[12]
print(x.requires_grad)
print((x**2).requires_grad)

with torch.no_grad():
    print((x**2).requires_grad)

# %% In[13]
print(x.requires_grad)
y = x.detach()
print(y.requires_grad)
print(x.eq(y).all())
