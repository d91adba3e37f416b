"""What `save` writes, `load` reads back; nothing else is loaded, and no file runs code."""

import io
import pickle
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from tests.core.parity import renamed


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    saved = {
        "weights": OrderedDict(w=torch.tensor([[1.5, -2.0]]), n=torch.tensor([1, 2])),
        "leaf": torch.tensor([1.0], dtype=torch.float64, requires_grad=True),
        3: [True, None, 2, 0.5, "文", (1, torch.tensor(True)), torch.Size([2, 3])],
        "empty": torch.zeros(0, 2),
    }
    torch.save(saved, tmp_path / "model.pt")
    loaded = torch.load(tmp_path / "model.pt")
    assert [p.name for p in tmp_path.iterdir()] == ["model.pt"]
    assert repr(loaded) == repr(saved)
    assert loaded["leaf"].is_leaf
    assert isinstance(loaded[3][6], torch.Size)


def test_a_model_continues_from_a_file() -> None:
    file = io.BytesIO()
    model = torch.nn.Linear(3, 2)
    torch.save(model.state_dict(), file)
    other = torch.nn.Linear(3, 2)
    other.load_state_dict(torch.load(io.BytesIO(file.getvalue())))
    assert other.weight.tolist() == model.weight.tolist()


def test_parameters_come_back_as_parameters(tmp_path: Path) -> None:
    torch.save(torch.nn.Parameter(torch.ones(2)), tmp_path / "p")
    assert renamed(repr(torch.load(tmp_path / "p"))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"


def test_a_model_itself_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="cannot save a Linear"):
        torch.save(torch.nn.Linear(1, 1), tmp_path / "model.pt")


class RunsCode:
    def __reduce__(self):
        return (print, ("code from a file was run",))


def files(tmp_path: Path):
    """Damaged and foreign files."""
    good = io.BytesIO()
    torch.save({"w": torch.ones(100)}, good)
    whole = good.getvalue()
    yield "empty", b""
    yield "text", b"no archive"
    yield "cut", whole[: len(whole) // 2]
    middle = whole.index(b"\x00\x00\x80?" * 20)  # ones, as float32
    yield "one byte flipped", whole[:middle] + b"\x01" + whole[middle + 1 :]
    yield "pickle", pickle.dumps(RunsCode())
    with_objects = io.BytesIO()
    np.savez(with_objects, **{"layout.json": np.array([RunsCode()], dtype=object)})
    yield "archive of objects", with_objects.getvalue()
    foreign = io.BytesIO()
    np.savez(foreign, x=np.ones(2))
    yield "archive of others", foreign.getvalue()


def test_damaged_and_foreign_files_are_a_clear_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in files(tmp_path):
        path = tmp_path / "file.pt"
        path.write_bytes(content)
        with pytest.raises(RuntimeError, match="is damaged, or was not written by minigrad.save"):
            torch.load(path)
        assert capsys.readouterr().out == "", name


def test_a_missing_file_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "nowhere.pt")


def test_a_misspelt_name_gets_the_nearest_one() -> None:
    with pytest.raises(AttributeError) as caught:
        torch.zeroes
    assert str(caught.value) == "module 'minigrad' has no attribute 'zeroes'"
    assert "minigrad.zeros" in caught.value.__notes__[0]
