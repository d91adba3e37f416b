# Code cells quoted from a Chinese PyTorch note, to the letter, slips included: facts about an outside source, not our
# code. A cell starts at "# %%"; cells of one file share their variables, as in a notebook. Cells marked "ours" supply
# what the note leaves undefined.
# The outputs that the note writes inside its cells, after "-->", are left out.

# %% 1.1 view
x=torch.rand(5,3)
y=x.view(-1,15)

# %% ours: show it
print(y)

# %% 1.2 item, without its parentheses
#接上文
y=y[0,1].item

# %% ours: what y is now, and what was meant
print(y)
print(x.view(-1,15)[0,1].item())

# %% 1.3 CUDA
if torch.cuda.is_available():
    device=torch.device("cuda") #一个cuda设备对象
    y=torch.ones_like(x,device=device)#直接从GPU创建张量
    x=x.to(device)
    z=x+y
    print(z)
    print(z.to("cpu",torch.double))#.to也能对类型做更改

# %% 2.1 the graph
import torch
# 使用.requires_grad来追踪Tensor的操作
x=torch.ones(2,2,requires_grad=True)
y=x+2
print(y)
y=y*y
print(y)
x=x**2
print(x)

# %% 2.1 the vector-Jacobian product
x=torch.tensor(([[2.0,4.0],[3.0,5.0]]),requires_grad=True)
y=3*(x+2)**2
l=y.mean()#l=(1/4)*y
print(l)
l.backward()
print(x.grad)

# %% ours: the error that the note quotes
y.backward()
