"""What a graph is: read from tensors, kept as plain values. Imports nothing of `picture` or `notebook`."""
