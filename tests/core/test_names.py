"""docs/names.md lists what minigrad offers, and all of it exists in PyTorch or is named as minigrad's own."""

import importlib
import importlib.util
import re
import subprocess
import sys
from operator import attrgetter
from pathlib import Path

import pytest

import minigrad

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "docs" / "names.py"
spec = importlib.util.spec_from_file_location("names", PROGRAM)
names = importlib.util.module_from_spec(spec)
spec.loader.exec_module(names)


def test_the_page_lists_every_public_name() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", names.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == [name for place in names.PLACES for name in names.public_names(place)], (
        "run python docs/names.py, and look at what changed"
    )


def test_the_page_is_what_pytorch_says_now() -> None:
    torch = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    page = names.PAGE.read_text(encoding="utf-8")
    if f"PyTorch {torch.__version__.split('+')[0]} " not in page:
        pytest.skip("the page was written for another PyTorch")
    assert page == names.page(), "run python docs/names.py, and look at what changed"


def test_no_name_is_made_up() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.+) \|$", names.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, theirs in rows if theirs == "—"] == []


@pytest.mark.parametrize(
    "line",
    [
        "import minigrad.backends.cudnn as cudnn; cudnn.benchmark = True; assert minigrad.backends.cudnn.benchmark",
        "from minigrad.utils.data.dataset import Dataset, Subset, TensorDataset, random_split",
        "from minigrad.utils.data.dataloader import DataLoader, default_collate",
    ],
)
def test_an_import_of_pytorchs_file_is_one_of_its_module(line: str) -> None:
    """Some notes take names from the files that PyTorch has behind its documented modules."""
    code = f"import minigrad; {line}"
    assert not subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False).stderr


@pytest.mark.parametrize(
    ("wrong", "owner", "right"),
    [
        ("minigrad.sigmod", "module 'minigrad'", "minigrad.sigmoid"),
        ("minigrad.nn.Linaer", "module 'minigrad.nn'", "minigrad.nn.Linear"),
        ("minigrad.nn.functional.reluu", "module 'minigrad.nn.functional'", "minigrad.nn.functional.relu"),
        ("minigrad.nn.init.xavier_unifrom_", "module 'minigrad.nn.init'", "minigrad.nn.init.xavier_uniform_"),
        ("minigrad.linalg.invv", "module 'minigrad.linalg'", "minigrad.linalg.inv"),
        ("minigrad.optim.Adamm", "module 'minigrad.optim'", "minigrad.optim.Adam"),
        (
            "minigrad.optim.lr_scheduler.StepLr",
            "module 'minigrad.optim.lr_scheduler'",
            "minigrad.optim.lr_scheduler.StepLR",
        ),
        ("minigrad.autograd.grads", "module 'minigrad.autograd'", "minigrad.autograd.grad"),
        ("minigrad.nn.Linear(2, 1).paramters()", "'Linear' object", ".parameters"),
        ("minigrad.nn.Linear(2, 1).wieght", "'Linear' object", ".weight"),
    ],
)
def test_a_wrong_name_is_told_the_nearest(wrong: str, owner: str, right: str) -> None:
    import minigrad

    with pytest.raises(AttributeError) as caught:
        eval(wrong, {"minigrad": minigrad})
    assert str(caught.value) == f"{owner} has no attribute '{wrong.split('.')[-1].removesuffix('()')}'"
    assert f"Do you mean {right}?" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("wrong", "right"), [("reqires_grad", "requires_grad"), ("bakward()", "backward"), ("nothing_like_it", None)]
)
def test_a_wrong_name_of_a_tensor_is_told_the_nearest_in_a_notebook(wrong: str, right: str | None) -> None:
    shown = shown_in_a_notebook(f"minigrad.ones(2).{wrong}")
    assert f"'Tensor' object has no attribute '{wrong.removesuffix('()')}'" in shown
    assert (f"Do you mean x.{right}?" in shown) == (right is not None)
    assert shown.count("Traceback") == 1


def test_an_argument_that_no_module_of_ours_takes_says_so_in_a_notebook() -> None:
    """PyTorch's modules take a few more; a class of the learner's says what Python says."""
    said = "got an unexpected keyword argument"
    shown = shown_in_a_notebook("from minigrad import nn; nn.Embedding(3, 2, padding_idx=0)")
    assert f"Embedding.__init__() {said} 'padding_idx'\nminigrad: It takes num_embeddings, embedding_dim, " in shown
    for name in ("Own", "Linear"):
        cell = f"from minigrad import nn\nclass {name}(nn.Module):\n    def __init__(self): pass\n{name}(bias=3)"
        shown = shown_in_a_notebook(cell)
        assert f"{name}.__init__() {said} 'bias'" in shown
        assert "minigrad: " not in shown


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("optim.SGD([], learning_rate=0.1)", "It takes params, lr, momentum, "),
        ("optim.SGD([], lr=0.1, momemtum=0.9)", "Do you mean momentum? "),
        ("nn.Conv2d(1, 6, kernel=5)", "Do you mean kernel_size? It takes in_channels, out_channels, kernel_size, "),
        ("x.backward(retain_grad=True)", "Do you mean retain_graph? It takes gradient, retain_graph, "),
        ("autograd.grad([], [], create_graphs=True)", "Do you mean create_graph? "),
        ("utils.data.DataLoader([], batchsize=2)", "Do you mean batch_size? It takes dataset, batch_size, "),
    ],
)
def test_a_misspelt_argument_is_told_the_nearest_in_a_notebook(wrong: str, right: str) -> None:
    shown = shown_in_a_notebook(f"import minigrad.utils.data\nfrom minigrad import *\nx = ones(2)\n{wrong}")
    assert f"minigrad: {right}" in shown
    assert "options" not in shown.partition("minigrad: ")[2]


@pytest.mark.parametrize(
    "call",
    [
        "np.mean([1.0], dim=0)",
        "np.zeros(3, requires_grad=True)",
        "own.Linear(bias=3)",
        "own.Linear.more(bias=3)",
        "from contextlib import contextmanager; contextmanager(f=1)",
    ],
)
def test_what_another_library_does_not_take_is_no_business_of_ours(call: str, tmp_path: Path) -> None:
    """`np.mean(x, dim=0)` was asked: Do you mean dim?"""
    (tmp_path / "own.py").write_text("class Linear:\n    def __init__(self): pass\n    def more(): pass\n")
    shown = shown_in_a_notebook(
        f"import sys, numpy as np; sys.path.append({str(tmp_path)!r}); import own; minigrad.nn; {call}"
    )
    assert "got an unexpected keyword argument" in shown
    assert "minigrad: " not in shown
    assert shown.count("Traceback") == 1


def test_a_module_that_was_never_given_an_init_is_told_no_empty_list() -> None:
    shown = shown_in_a_notebook("class Net(minigrad.nn.Module):\n    pass\nNet(hidden=3)")
    assert "Module.__init__() got an unexpected keyword argument 'hidden'" in shown
    assert "It takes ;" not in shown


@pytest.mark.parametrize(
    ("cell", "said", "hint"),
    [
        ("minigrad.nn.MSELoss(size_average=False)", "'size_average'", 'Write reduction="sum"'),
        ("minigrad.nn.CrossEntropyLoss(reduce=False)", "'reduce'", 'reduction="none"'),
        ("import torch; torch.relu(minigrad.ones(2))", "must be Tensor, not Tensor", "an import still says torch"),
        ("import torch; torch.nn.functional.mse_loss(*minigrad.ones(2, 2))", "but got Tensor", "still says torch"),
        ("import torch; torch.optim.SGD(minigrad.ones(1, 2), 0.1)", "is minigrad.Tensor", "still says torch"),
        (
            "from minigrad.utils.data import DataLoader; iter(DataLoader(minigrad.ones(4, 2))).next()",
            "'generator' object has no attribute 'next'",
            "next(iterator)",
        ),
        ("from minigrad.utils.tensorboard import *", "No module named", "may still come from torch"),
        (
            "x = minigrad.ones(2, requires_grad=True); (x * x).grad_fn._raw_saved_self.register_hooks(id, id)",
            "no attribute 'register_hooks'",
            "saved_tensors_hooks(pack_hook, unpack_hook)",
        ),
    ],
)
def test_what_tutorials_write_is_answered_in_a_notebook(cell: str, said: str, hint: str) -> None:
    if "import torch" in cell:
        pytest.importorskip("torch", reason="PyTorch, which the cell mixes in, is not installed")
    shown = shown_in_a_notebook(cell)
    assert said in shown
    assert shown.count("minigrad: ") == 1
    assert hint in shown.partition("minigrad: ")[2].partition("minigrad：")[0]


@pytest.mark.parametrize(
    ("cell", "never"),
    [
        ("minigrad.nn.Linear(3, minigrad.tensor([1., 2.]))", "still says torch"),
        ("raise TypeError('a list was wanted, but got Tensor')", "still says torch"),
        ("minigrad.shape", "method of tensors"),
        ("minigrad.grad_fn", "method of tensors"),
        ("minigrad._version", "method of tensors"),
        ("minigrad.zeros(3).scatter_(0, minigrad.tensor([1]), 1.0, reduce='add')", "size_average"),
    ],
)
def test_advice_is_kept_for_what_it_is_about(cell: str, never: str) -> None:
    assert never not in shown_in_a_notebook(cell)


def test_an_error_is_shown_whatever_goes_wrong_with_its_hint() -> None:
    """A property of the learner's is read once more, to see what was called: it may raise."""
    cell = """
class Odd:
    @property
    def step(self):
        self.asked = getattr(self, "asked", 0) + 1
        if self.asked > 1: raise ValueError("asked twice")
        return lambda: None
odd = Odd()
odd.step(size=3)
"""
    assert "got an unexpected keyword argument 'size'" in shown_in_a_notebook(cell).splitlines()[-1]


def shown_in_a_notebook(cell: str) -> str:
    program = (
        "from IPython.core.interactiveshell import InteractiveShell as Shell; shell = Shell.instance(); "
        f"shell.run_cell('import minigrad'); shell.run_cell({cell!r})"
    )
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    ).stdout


#: What the hint says in place of the page that lists what is left out, by how the names begin.
INSTEAD = {
    ("RNN", "LSTM", "GRU"): "two nn.Linear",
    ("Lazy",): "nn.Linear(in_features, 10)",
    ("RandomSampler", "SubsetRandomSampler"): "Subset(data, numbers)",
    ("distributions",): "torch.multinomial(probs, 1)",
    ("histogram",): "np.histogram(",
}


def test_a_name_that_is_left_out_says_so() -> None:
    """Each of them is PyTorch's, and none is minigrad's."""
    reference = pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    left_out = (ROOT / "minigrad" / "words" / "left_out.txt").read_text(encoding="utf-8").partition("\n")[2].split()
    for place, _, name in (each.rpartition(".") for each in left_out):
        theirs, ours = (attrgetter(place)(library) if place else library for library in (reference, minigrad))
        assert hasattr(theirs, name) or hasattr(reference.Tensor, name)
        for owner in (ours,) if place else (ours, minigrad.ones(2)):
            with pytest.raises(AttributeError) as caught:
                getattr(owner, name)
            if owner is ours or sys.version_info >= (3, 12):  # (before, IPython says it of a tensor)
                said = [words for names, words in INSTEAD.items() if name.startswith(names)] or ["docs/differences.md"]
                assert said[0] in caught.value.__notes__[0]
    for name in ("LSTM", "pad"):  # of which there is none here, in PyTorch either
        with pytest.raises(AttributeError) as caught:
            getattr(minigrad, name)
        assert not any("docs/differences.md" in note for note in getattr(caught.value, "__notes__", ()))


@pytest.mark.parametrize("place", ["nn", "nn.functional", "nn.init", "optim", "optim.lr_scheduler"])
def test_whatever_pytorch_has_there_is_not_answered_with_another_name(place: str) -> None:
    pytest.importorskip("torch", reason="PyTorch, the reference, is not installed")
    theirs, ours = (importlib.import_module(f"{library}.{place}") for library in ("torch", "minigrad"))
    public = [
        name
        for name, value in vars(theirs).items()
        if name[0] != "_"
        and callable(value)
        and value.__module__.startswith(("torch.nn.", "torch.optim.", "torch._C._nn"))
    ]
    assert len(public) > 10
    left_out = {*public, *getattr(theirs, "__all__", ())} - {*dir(ours), *vars(ours)}
    told = 0
    for name in left_out:
        with pytest.raises(AttributeError) as caught:
            getattr(ours, name)
        hints = getattr(caught.value, "__notes__", [])
        told += bool(hints)
        # (nn.init.normal is an old name of normal_)
        told_so = ("docs/differences.md", *INSTEAD.values(), f"{name}_?")
        assert all(any(words in hint for words in told_so) for hint in hints), name
    assert told >= 0.7 * len(left_out), "the others stand on no page of PyTorch's, as nn.Container"


def test_what_is_like_a_name_by_chance_is_no_slip() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = minigrad.view
    assert caught.value._hints == [("It is a method of tensors: x.view(…).", "这是张量的方法：x.view(…)。")]


def test_a_name_like_no_other_gets_no_hint() -> None:
    import minigrad

    for owner, name in ((minigrad, "_hidden"), (minigrad.ones(2), "_repr_html_"), (minigrad.nn, "Qqqqqq")):
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        assert not hasattr(caught.value, "__notes__")


def test_every_function_and_method_is_compared_with_pytorch() -> None:
    """Each stands in the table of expressions, in a recorded program or in a test of its own."""
    here = Path(__file__).parent
    folders = (here, here.parent / "device", here.parent / "reference")
    files = [here / "expressions.txt", *(file for folder in folders for file in folder.rglob("*.py"))]
    compared = set(re.findall(r"\w+", "\n".join(file.read_text(encoding="utf-8") for file in files)))
    functions = {name for name in minigrad.__all__ if callable(getattr(minigrad, name))}
    methods = {name for name in dir(minigrad.Tensor) if not name.startswith("_")}
    assert sorted((functions | methods) - compared) == []
