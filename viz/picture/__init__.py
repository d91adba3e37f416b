"""How a graph looks: folded, laid out, drawn, written. Imports nothing of `notebook`."""
