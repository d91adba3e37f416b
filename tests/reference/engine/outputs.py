# Programs of our own about operations with several results. A cell starts at "# %%" and runs alone, in a fresh notebook.

# %% the determinant of a singular matrix
A = torch.tensor([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
torch.linalg.det(A).backward()
print(A.grad.abs())
