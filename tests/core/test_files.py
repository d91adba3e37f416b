"""What `save` writes, `load` reads back; nothing else is loaded unless it is asked for, and no file runs code."""

import io
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import minigrad as torch
from minigrad.creation import rebuilt
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


def test_a_whole_model_is_read_only_where_the_file_is_trusted(tmp_path: Path) -> None:
    """As in PyTorch: `torch.save(net, path)` stands in many notes, and what reads it may run anything."""
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
    torch.save(net, tmp_path / "net.pt")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed") as caught:
        torch.load(tmp_path / "net.pt")
    assert all("weights_only=False" in line for line in caught.value.__notes__[0].splitlines())
    loaded = torch.load(tmp_path / "net.pt", weights_only=False)
    assert repr(loaded) == repr(net)
    assert torch.equal(loaded(torch.ones(2)), net(torch.ones(2)))
    assert all(isinstance(p, torch.nn.Parameter) for p in loaded.parameters())


def test_what_cannot_be_saved_leaves_a_file_as_it_is(tmp_path: Path) -> None:
    torch.save(torch.ones(2), tmp_path / "w.pt")
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        torch.save({"w": torch.ones(3), "f": lambda: 0}, tmp_path / "w.pt")
    assert torch.load(tmp_path / "w.pt").tolist() == [1.0, 1.0]


class RunsCode:
    def __reduce__(self):
        return (print, ("code from a file was run",))


class Names:
    """A pickle that calls one of the functions that tensors are made by, with anything."""

    def __init__(self, function: object, *given: object) -> None:
        self.function, self.given = function, given

    def __reduce__(self):
        return self.function, self.given


def written(obj: object) -> bytes:
    file = io.BytesIO()
    torch.save(obj, file)
    return file.getvalue()


def archive(content: bytes, compression: int = zipfile.ZIP_STORED, name: str = "data.pkl") -> bytes:
    """An archive as `save` writes it, with any content."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made:
        made.writestr(name, content)
    return file.getvalue()


WHOLE = written({"w": torch.ones(100)})
ONES = WHOLE.index(b"\x00\x00\x80?" * 20)  # as float32


def foreign(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def claiming(numbers: object = bytes(16), kind: object = torch.float32, size: object = (2, 2), **more: object) -> bytes:
    """A file of a tensor that claims something."""
    claims = {"wants_grad": False, "place": "cpu", "parameter": None} | more
    return written(Names(rebuilt, numbers, kind, size, *claims.values()))


DAMAGED = {
    "empty": b"",
    "text": b"no archive",
    "cut": WHOLE[: len(WHOLE) // 2],
    "one byte flipped": WHOLE[:ONES] + b"\x01" + WHOLE[ONES + 1 :],
    "a pickle": pickle.dumps(torch.ones(2)),
    "arrays of objects": foreign(layout=np.array([RunsCode()], dtype=object)),
    "arrays of others": foreign(x=np.ones(2)),
    "PyTorch's": archive(pickle.dumps(1), name="archive/data.pkl"),
    "a bomb": archive(bytes(10**6), zipfile.ZIP_DEFLATED),
    "no pickle": archive(b"text"),
    "half a pickle": archive(pickle.dumps(torch.ones(2))[:-9]),
    "half a number": claiming(bytes(15)),
    "no numbers": claiming(None),
    "no type": claiming(kind="float32"),
    "larger than its memory": claiming(size=(3, 2)),
    "larger than can be": claiming(size=(2**64,)),
    "smaller than its memory": claiming(size=(3,)),
    "fractions": claiming(size=(2.0, 2.0)),
    "no such class of parameters": claiming(parameter=torch.Size),
}


@pytest.mark.hostile
@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_and_foreign_files_are_a_clear_error(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file.pt"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(RuntimeError, match="is damaged, or was not written by minigrad.save") as caught:
        torch.load(path)
    (note,) = caught.value.__notes__
    for line in note.splitlines():  # the same advice in both languages
        assert all(words in line for words in ("torch.load", "numpy", "state_dict()")), line
    assert capsys.readouterr().out == ""


@pytest.mark.hostile
@pytest.mark.parametrize("parameter", [None, torch.nn.Parameter])
def test_no_file_makes_an_integer_that_requires_grad(parameter: object) -> None:
    with pytest.raises(RuntimeError, match="can require gradients"):
        torch.load(io.BytesIO(claiming(kind=torch.int32, wants_grad=True, parameter=parameter)))


@pytest.mark.hostile
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no endless file")
def test_a_link_to_what_never_ends_is_refused(tmp_path: Path) -> None:
    """A repository may hold such a link."""
    path = tmp_path / "file.pt"
    path.symlink_to("/dev/zero")
    with pytest.raises(RuntimeError, match="is damaged, or was not written by minigrad.save"):
        torch.load(path)


many = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
MODEL = {"w": torch.arange(6.0).reshape(2, 3), "n": [1, None, torch.tensor([True])]}
MODEL_FILE = written(MODEL)


@pytest.mark.hostile
@many
@given(st.lists(st.tuples(st.integers(0, len(MODEL_FILE) - 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_changed_bytes_are_noticed_or_do_not_matter(changes: list[tuple[int, int]]) -> None:
    content = bytearray(MODEL_FILE)
    for place, byte in changes:
        content[place] = byte
    assert_same_or_refused(bytes(content))


@pytest.mark.hostile
@many
@given(st.integers(0, len(MODEL_FILE)), st.integers(0, len(MODEL_FILE)), st.binary(max_size=40))
def test_bytes_cut_out_or_put_in_are_noticed_or_do_not_matter(start: int, end: int, instead: bytes) -> None:
    assert_same_or_refused(MODEL_FILE[:start] + instead + MODEL_FILE[max(start, end) :])


@pytest.mark.hostile
@many
@given(st.binary(max_size=200))
def test_random_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(RuntimeError, match="is damaged"):
        torch.load(io.BytesIO(content))


def assert_same_or_refused(content: bytes) -> None:
    loaded = loaded_or_error(content)
    assert "is damaged" in str(loaded) if isinstance(loaded, RuntimeError) else repr(loaded) == repr(MODEL)


def loaded_or_error(content: bytes) -> object:
    try:
        return torch.load(io.BytesIO(content))
    except RuntimeError as error:
        return error


@pytest.mark.hostile
@pytest.mark.parametrize(
    "content",
    [
        RunsCode(), [torch.ones(2), RunsCode()], Names(getattr, torch.ones(2), "sum"), Names(io.open, "made.txt", "w"),
        Names(np.frombuffer, b"abcd"), Names(torch.manual_seed, 1), Names(torch.optim.SGD, [torch.ones(2)], 0.1),
    ],
)  # fmt: skip
def test_no_file_runs_code(
    content: object, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    state = torch.get_rng_state()
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(io.BytesIO(written(content)))
    assert capsys.readouterr().out == ""
    assert not list(tmp_path.iterdir())
    assert torch.equal(torch.get_rng_state(), state)


PARAMETER = b"cminigrad.nn.parameter\nParameter\n"
UNKIND = {
    "changes a class": b"\x80\x02" + PARAMETER + b"N}X\x04\x00\x00\x00gradNs\x86b.",
    "changes a type of numbers": b"\x80\x02cminigrad.dtypes\nfloat32\n}X\x04\x00\x00\x00nameX\x01\x00\x00\x00xsb.",
    "takes all memory": b"\x80\x02Nr\xff\xff\xff\x7f.",
    "a class by its old code": b"(ios\ngetcwd\n.",
    "an object by its old code": b"\x80\x02(cos\ngetcwd\no.",
    "a part of what is allowed": b"\x80\x04\x8c\x0bcollections\x8c\x14OrderedDict.fromkeys\x93.",
}


@pytest.mark.hostile
@pytest.mark.parametrize("name", UNKIND)
def test_no_file_changes_what_is_there(name: str) -> None:
    """Even the few classes that a file may name stay as they are: PyTorch refuses this, too."""
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(io.BytesIO(archive(UNKIND[name])))
    assert torch.float32.name == "float32"
    w = torch.nn.Parameter(torch.ones(2))
    w.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_of_any_age_is_a_tensor(protocol: int) -> None:
    assert pickle.loads(pickle.dumps(torch.arange(3), protocol)).tolist() == [0, 1, 2]


def test_data_is_saved_with_the_model(tmp_path: Path) -> None:
    data = torch.utils.data.TensorDataset(torch.arange(4.0))
    torch.save([data, torch.utils.data.DataLoader(data, batch_size=2)], tmp_path / "data.pt")
    _, loader = torch.load(tmp_path / "data.pt", weights_only=False)
    assert [batch.tolist() for (batch,) in loader] == [[0.0, 1.0], [2.0, 3.0]]


@pytest.mark.parametrize("weights_only", [True, False])
def test_what_is_no_file_of_ours_is_said_to_be_none(weights_only: bool) -> None:
    for content in (b"text", foreign(x=np.ones(2))):
        with pytest.raises(RuntimeError, match="was not written by minigrad.save"):
            torch.load(io.BytesIO(content), weights_only=weights_only)


# ---------------------------------------------------------------------------------------------------------------------
# What goes in comes out

DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]
tensors = st.builds(
    lambda size, dtype, view: VIEWS[view](torch.arange(-2, np.prod(size, dtype=int) - 2).reshape(size).to(dtype)),
    st.lists(st.integers(0, 3), max_size=3).map(tuple),
    st.sampled_from(DTYPES).map(lambda name: getattr(torch, name)),
    st.integers(0, 5),
)
VIEWS = [
    lambda x: x,
    lambda x: x.transpose(0, -1) if x.dim() else x,
    lambda x: x[None, ..., None].expand(2, *x.shape, 3),
    lambda x: x.flatten()[1:],
    lambda x: x.flatten()[::2],
    lambda x: x.clone().requires_grad_() if x.is_floating_point() else x,
]
plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
things = st.recursive(
    plain | tensors | tensors.map(lambda x: torch.nn.Parameter(x.detach(), requires_grad=x.is_floating_point())),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(plain.filter(lambda k: k == k), inner, max_size=4)
        | st.dictionaries(st.text(), inner, max_size=3).map(OrderedDict)
        | st.lists(st.integers(0, 9), max_size=3).map(torch.Size)
    ),
    max_leaves=12,
)


@many
@given(things)
def test_round_trip(thing: object) -> None:
    loaded = torch.load(io.BytesIO(written(thing)))
    assert repr(loaded) == repr(thing)
    for one, other in zip(all_tensors(loaded), all_tensors(thing), strict=True):
        assert one.shape == other.shape
        assert one.is_leaf
        one.detach().zero_()  # it may be written


def all_tensors(thing: object) -> list:
    if isinstance(thing, torch.Tensor):
        return [thing]
    if isinstance(thing, dict):
        thing = [*thing.keys(), *thing.values()]
    return [x for item in thing for x in all_tensors(item)] if isinstance(thing, list | tuple) else []


def test_a_tensor_that_is_there_twice_is_one() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    loaded = torch.load(io.BytesIO(written({"row": x[1], "all": x, "again": x})))
    assert loaded["again"] is loaded["all"]
    assert loaded["row"].tolist() == [3.0, 4.0, 5.0]


def test_an_optimizer_continues_from_a_file() -> None:
    def trained(steps: int, optimizer: object, w: object) -> list:
        for _ in range(steps):
            optimizer.zero_grad()
            ((w - 3) ** 2).sum().backward()
            optimizer.step()
        return w.tolist()

    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.Adam([w], lr=0.1)
    trained(3, optimizer, w)
    loaded = torch.load(io.BytesIO(written({"w": w, "optimizer": optimizer.state_dict(), "epoch": 3})))
    again = torch.optim.Adam([loaded["w"]], lr=0.5)
    again.load_state_dict(loaded["optimizer"])
    assert trained(2, again, loaded["w"]) == trained(2, optimizer, w)


def test_a_list_that_contains_itself_comes_back() -> None:
    endless: list = [torch.ones(1)]
    endless.append(endless)
    loaded = torch.load(io.BytesIO(written(endless)))
    assert loaded[1] is loaded


def test_a_missing_file_is_reported_as_such(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "nowhere.pt")


def test_a_misspelt_name_gets_the_nearest_one() -> None:
    with pytest.raises(AttributeError) as caught:
        torch.zeroes
    assert str(caught.value) == "module 'minigrad' has no attribute 'zeroes'"
    assert "minigrad.zeros" in caught.value.__notes__[0]
