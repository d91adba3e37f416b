"""`save` and `load`: tensors, and lists and dictionaries of them, in a file that holds nothing but numbers.

The file is a zip archive, not compressed: the numbers of each tensor as plain bytes, and a text in JSON that says what
they are and how they belong together. So `load` never runs code from a file, whoever made it, and never takes more
memory than the file is long. PyTorch's own files are pickles, another format.
"""

from __future__ import annotations

import json
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

from .autograd.node import requires_grad
from .autograd.variable import TensorBase, make_tensor
from .devices import device, device_of, move, to_host
from .dtypes import ALL
from .hints import hinted
from .nn.parameter import Parameter
from .size import Size

_LAYOUT, _NUMBERS = "layout.json", "tensor{}"
_TYPES = {kind.name: kind.numpy.newbyteorder("<") for kind in ALL}
_SEQUENCES: dict[str, type] = {"size": Size, "list": list, "tuple": tuple}


def save(obj: Any, f: Any) -> None:
    """Write `obj` to a file: a tensor, a number, a text, None, or a list, tuple or dictionary of such things.

    A tensor that is there several times is saved once; tensors that share memory have memory of their own when loaded.

    Args:
        obj: what to save, such as `model.state_dict()`. A tensor is saved without its history.
        f: the file's path, or a file opened for writing bytes.

    Raises:
        TypeError: for anything else, such as a whole model.
    """
    numbered: dict[int, tuple[int, Any]] = {}
    try:
        layout = {"object": _describe(obj, numbered)}
    except RecursionError:
        raise hinted(ValueError("minigrad.save: lists within lists, too deep to be saved")) from None
    tensors = [tensor for _, tensor in numbered.values()]
    layout["tensors"] = [
        {
            "dtype": tensor.dtype.name,
            "size": list(tensor._value.shape),
            "requires_grad": requires_grad(tensor),
            "parameter": isinstance(tensor, Parameter),
            "device": str(device_of(tensor._value)),
        }
        for tensor in tensors
    ]
    text = json.dumps(layout)
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_LAYOUT, text)
        for number, tensor in enumerate(tensors):
            numbers = to_host(tensor._value).astype(_TYPES[tensor.dtype.name])
            archive.writestr(_NUMBERS.format(number), numbers.tobytes())


def load(f: Any, map_location: Any = None, weights_only: bool = True) -> Any:
    """What `save` has written to a file.

    Args:
        f: the file's path, or a file opened for reading bytes.
        map_location: where the tensors go, such as "cpu"; without it, to where they were.
        weights_only: True; nothing else is ever loaded.

    Raises:
        RuntimeError: the file is damaged, or `save` did not write it.
    """
    place = None if map_location is None else device(map_location)
    try:
        if isinstance(f, str | Path) and Path(f).exists() and not (Path(f).is_file() or Path(f).is_dir()):
            raise OSError("a device or a pipe, which may have no end")
        with zipfile.ZipFile(f) as archive:
            _check_sizes(archive)
            layout = json.loads(archive.read(_LAYOUT))
            tensors = [
                _tensor(description, archive.read(_NUMBERS.format(number)), place)
                for number, description in enumerate(layout["tensors"])
            ]
        result = _restore(layout["object"], tensors)
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except Exception as error:  # whatever damage makes zipfile, numpy or json stumble over
        if hasattr(error, "_hints"):  # no damage: the place is not here, and the hint says what to do
            raise
        said = f"minigrad.load: {f} is damaged, or was not written by minigrad.save ({error})"
        raise hinted(RuntimeError(said)) from error
    return result


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def _describe(obj: Any, numbered: dict[int, tuple[int, Any]]) -> Any:
    """`obj` in terms of JSON, its tensors by their number; `numbered` gets each of them once, by its id."""
    if isinstance(obj, TensorBase):
        return {"tensor": numbered.setdefault(id(obj), (len(numbered), obj))[0]}
    if obj is None or type(obj) in (bool, int, float, str):
        return {"value": obj}
    if isinstance(obj, dict):
        kind = "ordered" if isinstance(obj, OrderedDict) else "dict"
        return {kind: [[_describe(key, numbered), _describe(value, numbered)] for key, value in obj.items()]}
    for kind, class_ in _SEQUENCES.items():
        if type(obj) is class_:
            return {kind: [_describe(item, numbered) for item in obj]}
    raise hinted(TypeError(f"minigrad.save: cannot save a {type(obj).__name__}"))


# ---------------------------------------------------------------------------------------------------------------------
# Reading: nothing that the file claims is believed


def _check_sizes(archive: zipfile.ZipFile) -> None:
    """Refuse an archive that would grow when it is read: all its parts together are shorter than the file."""
    parts = archive.infolist()
    archive.fp.seek(0, 2)  # type: ignore[union-attr]
    length = archive.fp.tell()  # type: ignore[union-attr]
    if any(p.compress_type != zipfile.ZIP_STORED or p.file_size != p.compress_size for p in parts):
        raise ValueError("a compressed archive")
    if sum(part.file_size for part in parts) > length:
        raise ValueError("its parts are longer than the file")


def _tensor(description: dict[str, Any], numbers: bytes, place: Any) -> Any:
    """The tensor that a description and its bytes make, where it was or in `place`."""
    kind = _TYPES[description["dtype"]]
    array = np.frombuffer(numbers, kind).astype(kind.newbyteorder("=")).reshape(_naturals(description["size"]))
    if place is None and type(description["device"]) is not str:
        raise ValueError(f"{description['device']} for a device")
    there = device(description["device"]) if place is None else place
    try:
        tensor = make_tensor(move(array, there))
    except Exception as error:
        raise hinted(RuntimeError(f"minigrad.load: a tensor of the file was on {there} ({error})")) from error
    wants_grad = bool(description["requires_grad"])
    if wants_grad and kind.kind != "f":
        raise ValueError(f"a gradient of {kind.name}")
    if description["parameter"]:
        return Parameter(tensor, wants_grad)
    return tensor.requires_grad_() if wants_grad else tensor


def _naturals(numbers: Any) -> tuple[int, ...]:
    if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
        raise ValueError(f"{numbers} for a size or a place")
    return tuple(numbers)


def _restore(layout: Any, tensors: list[Any]) -> Any:
    ((kind, content),) = layout.items()
    if kind == "value":
        if type(content) not in (type(None), bool, int, float, str):
            raise ValueError("a value that is none")
        return content
    if kind == "tensor":
        return tensors[_naturals([content])[0]]
    if kind in ("dict", "ordered"):
        pairs = [(_restore(key, tensors), _restore(value, tensors)) for key, value in content]
        return OrderedDict(pairs) if kind == "ordered" else dict(pairs)
    items = [_restore(item, tensors) for item in content]
    return Size(_naturals(items)) if kind == "size" else _SEQUENCES[kind](items)
