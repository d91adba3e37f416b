# Code cells quoted from a Chinese PyTorch note, to the letter, slips included: facts about an outside source, not our
# code. A cell starts at "# %%"; cells of one file share their variables, as in a notebook. Cells marked "ours" supply
# what the note leaves undefined.
# The note's numbers are out of order: its 41 in In[142] comes from running that cell instead of In[152].

# %% In[144]
import torch
import numpy as np

# %% In[145]
w = torch.Tensor([1.0])

# %% In[146]
w.requires_grad = True

# %% In[147]
print(type(w))
print(w)

# %% In[148]
print(type(w.data))
print(w.data)

# %% In[149]
w.grad = torch.Tensor([0.])
print(type(w.grad))
print(w.grad)

# %% In[150]
print(type(w.item()))
print(w.item())

# %% In[151]
X = torch.Tensor([1.0,2.0,3.0])
Y = torch.Tensor([3.0,5.0,7.0])

def forward(w,X,Y):
    out = (Y-w*X)**2
    return torch.sum(out)

y = forward(w,X,Y)
y.backward()
print('\tw的导数为：\n',w.grad)

# %% In[142]
w = w - w.grad
print(w)

# %% In[120]
w.grad.data.zero_()
print(w.grad)
