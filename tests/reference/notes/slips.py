# Code cells quoted from a Chinese PyTorch note, to the letter, slips included: facts about an outside source, not our
# code. A cell starts at "# %%"; cells of one file share their variables, as in a notebook. Cells marked "ours" supply
# what the note leaves undefined.
# These are the slips of the notes' prose, each as the cell that a learner would type from it.

# %% a full-width colon
with torch.no_grad：
    pass

# %% no_grad without its parentheses
with torch.no_grad:
    pass

# %% requries_grad
w = torch.ones(2)
w.requries_grad = True
print(w.requires_grad, (w * 2).requires_grad)

# %% requries_grad as an argument
w = torch.ones(2, requries_grad=True)

# %% torch.Function
torch.Function
