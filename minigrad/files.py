"""`save` and `load`: a file is a pickle, in a zip archive that tells whether a byte of it has changed, as in PyTorch.

A pickle may name any function, which is called when it is read. So `load` takes from a file only what tensors and the
lists and dictionaries around them are made of, and runs no code of it, unless it is told that the file can be trusted.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

from .creation import rebuilt
from .devices import device
from .dtypes import ALL
from .hints import hinted

_PART = "data.pkl"
#: What could change minigrad itself, or take any amount of memory; to write tensors needs none of it.
_CODES = {"BUILD", "PUT", "BINPUT", "LONG_BINPUT"}
_PLAIN = {"collections.OrderedDict", "minigrad.Size", "minigrad.creation.rebuilt", "minigrad.nn.parameter.Parameter"}
_PLAIN |= {"minigrad.devices.device", *(f"minigrad.dtypes.{kind.__reduce__()}" for kind in ALL)}


def save(obj: Any, f: Any) -> None:
    """Write `obj` to a file: a tensor, `model.state_dict()`, or whatever else `pickle` can write.

    A tensor is saved without its history; one that is there several times is saved once; tensors that share memory have
    memory of their own when loaded.

    Args:
        obj: what to save. Of a whole model its class is not saved, only where it is found.
        f: the file's path, or a file opened for writing bytes.
    """
    content = pickle.dumps(obj, protocol=4)  # first: where that fails, a file that is there stays as it is
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_PART, content)


def load(f: Any, map_location: Any = None, weights_only: bool = True) -> Any:
    """What `save` has written to a file.

    Args:
        f: the file's path, or a file opened for reading bytes.
        map_location: where the tensors go, such as "cpu"; without it, to where they were.
        weights_only: take nothing but tensors, numbers, texts, and lists and dictionaries of them. False also reads
            whole models, and runs what code the file may hold: only for files that you have written.

    Raises:
        UnpicklingError: there is something else in the file.
        RuntimeError: the file is damaged, or `save` did not write it.
    """
    place = None if map_location is None else device(map_location)
    content = None
    try:
        if isinstance(f, str | Path) and Path(f).exists() and not (Path(f).is_file() or Path(f).is_dir()):
            raise OSError("a device or a pipe, which may have no end")
        with zipfile.ZipFile(f) as archive:
            if archive.getinfo(_PART).compress_type != zipfile.ZIP_STORED:
                raise ValueError("a compressed archive")  # which may grow beyond all memory
            content = archive.read(_PART)
        codes = {code.name for code, _, _ in pickletools.genops(content)} if weights_only else set()
        if codes & _CODES:
            raise hinted(pickle.UnpicklingError("Weights only load failed. The file holds more than tensors: a model?"))
        return _Reader(content, place, trusts=not weights_only).load()
    except (FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except Exception as error:  # whatever damage makes zipfile, pickle or numpy stumble over
        if hasattr(error, "_hints") or (content and not weights_only):  # no damage: its hint, or the file's code, tells
            raise
        said = f"minigrad.load: {f} is damaged, or was not written by minigrad.save ({error})"
        raise hinted(RuntimeError(said)) from error


class _Reader(pickle.Unpickler):
    """Reads a pickle; all tensors go to one `place`, if it is not None."""

    def __init__(self, content: bytes, place: device | None, trusts: bool) -> None:
        super().__init__(io.BytesIO(content))
        self._place = place
        self._trusts = trusts

    def find_class(self, module: str, name: str) -> Any:
        """A function or class that the file names."""
        if not self._trusts and f"{module}.{name}" not in _PLAIN:
            said = f"Weights only load failed. The file does not hold only tensors: it names {module}.{name}"
            raise hinted(pickle.UnpicklingError(said))
        found = super().find_class(module, name)
        return partial(rebuilt, instead=self._place) if found is rebuilt and self._place else found
