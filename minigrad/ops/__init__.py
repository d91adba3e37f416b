"""The operations: each forward beside its derivative."""
