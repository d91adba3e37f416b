"""A package, so that one of the same name in site-packages does not hide it: torchvista's wheel brings such a one."""
