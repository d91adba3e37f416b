"""`save` and `load`: tensors, and lists and dictionaries of them, in a file that holds nothing but numbers.

The file is a numpy .npz archive: each tensor is an array in it, and a text in JSON says how they belong together. So
`load` never runs code from a file, whoever made it. PyTorch's own files are pickles, another format.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from .autograd.node import requires_grad
from .autograd.variable import TensorBase, make_tensor
from .creation import require_grad
from .devices import device_of, to_host
from .dtypes import from_numpy_dtype
from .hints import with_hint
from .size import Size

_LAYOUT = "layout.json"


def save(obj: Any, f: Any) -> None:
    """Write `obj` to a file: a tensor, a number, a text, None, or a list, tuple or dictionary of such things.

    Args:
        obj: what to save, such as `model.state_dict()`. A tensor is saved without its history.
        f: the file's path, or a file opened for writing bytes.

    Raises:
        TypeError: for anything else, such as a whole model.
    """
    import json  # when it is needed: `import minigrad` stays fast

    arrays: dict[str, np.ndarray] = {}
    layout = _describe(obj, arrays)
    text = np.frombuffer(json.dumps(layout).encode(), dtype=np.uint8)
    if hasattr(f, "write"):
        np.savez(f, **{_LAYOUT: text}, **arrays)
        return
    with open(f, "wb") as file:  # a name, to np.savez, would get ".npz" appended
        np.savez(file, **{_LAYOUT: text}, **arrays)


def load(f: Any, map_location: Any = None, weights_only: bool = True) -> Any:
    """What `save` has written to a file.

    Args:
        f: the file's path, or a file opened for reading bytes.
        map_location: where the tensors go, such as "cpu"; without it, to where they were.
        weights_only: True; nothing else is ever loaded.

    Raises:
        RuntimeError: the file is damaged, or `save` did not write it.
    """
    import json

    try:
        with np.load(f, allow_pickle=False) as archive:
            return _restore(json.loads(archive[_LAYOUT].tobytes().decode()), archive, map_location)
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except Exception as error:  # whatever damage makes zipfile, numpy or json stumble over
        raise _not_ours(f, error) from error


def _not_ours(f: Any, error: Exception) -> RuntimeError:
    return with_hint(
        RuntimeError(f"minigrad.load: {f} is damaged, or was not written by minigrad.save ({error})"),
        "A file of torch.save is read by PyTorch's torch.load: there, save numpy arrays, or state_dict() as lists.",
        "torch.save 的文件要用 PyTorch 的 torch.load 读取；也可能是文件没有下载完整。",
    )


def _describe(obj: Any, arrays: dict[str, np.ndarray]) -> Any:
    """`obj` in terms of JSON; its tensors go to `arrays`."""
    if isinstance(obj, TensorBase):
        name = f"tensor{len(arrays)}"
        arrays[name] = np.asarray(to_host(obj._value))
        place = str(device_of(obj._value))
        return {
            "tensor": name, "requires_grad": requires_grad(obj), "parameter": _is_parameter(obj), "device": place
        }  # fmt: skip
    if obj is None or type(obj) in (bool, int, float, str):
        return {"value": obj}
    if isinstance(obj, dict):
        kind = "ordered" if isinstance(obj, OrderedDict) else "dict"
        return {kind: [[_describe(key, arrays), _describe(value, arrays)] for key, value in obj.items()]}
    for kind, class_ in (("size", Size), ("list", list), ("tuple", tuple)):
        if type(obj) is class_:
            return {kind: [_describe(item, arrays) for item in obj]}
    raise with_hint(
        TypeError(f"minigrad.save: cannot save a {type(obj).__name__}"),
        "Save the numbers, not the program: save(model.state_dict(), path).",
        "只保存数值，不保存程序：save(model.state_dict(), path)。",
    )


def _is_parameter(tensor: Any) -> bool:
    return type(tensor).__name__ == "Parameter"


def _restore(layout: Any, archive: Any, place: Any) -> Any:
    if "value" in layout:
        return layout["value"]
    if "tensor" in layout:
        array = archive[layout["tensor"]]
        from_numpy_dtype(array.dtype)  # refuses what tensors cannot hold
        tensor = make_tensor(array)
        tensor = tensor.to(device=layout.get("device", "cpu") if place is None else place)
        if layout["parameter"]:
            from .nn import Parameter

            return Parameter(tensor, layout["requires_grad"])
        if layout["requires_grad"]:
            require_grad(tensor)
        return tensor
    ((kind, items),) = layout.items()
    if kind in ("dict", "ordered"):
        pairs = [(_restore(key, archive, place), _restore(value, archive, place)) for key, value in items]
        return OrderedDict(pairs) if kind == "ordered" else dict(pairs)
    return {"list": list, "tuple": tuple, "size": Size}[kind](_restore(item, archive, place) for item in items)
