"""What Tab offers in a notebook: what it offers with PyTorch, and nothing of what a module itself imports."""

import json
import subprocess
import sys

import pytest

#: After what a learner has typed: what Tab must offer, and what it must not.
_TABS = {
    "torch.": ("tensor nn optim autograd manual_seed relu no_grad", "import_module creation functions printing"),
    "x.": ("grad grad_fn backward sum exp add_", "_value _edge _meta"),
    "x.grad.": ("sum exp zero_ grad_fn shape", "_value"),
    "loss.grad_fn.": ("name next_functions metadata register_hook register_prehook", "edges saved"),
    "torch.nn.": ("Linear Module Parameter functional init", "annotations names_the_nearest layers"),
    "torch.nn.functional.": ("relu mse_loss cross_entropy", "refuse require_kind annotations np functions"),
    "torch.optim.": ("SGD Adam lr_scheduler", "annotations names_the_nearest optimizers"),
    "torch.autograd.": ("Function grad backward graph", "annotations engine loaded_later"),
    "torch.utils.data.": ("DataLoader Dataset", "np bisect Any"),
    "viz.": ("draw text live record Picture", "Any sys check reader annotations pause collector_paused"),
}
_SESSION = """
import json, sys
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
shell.run_cell('''
import minigrad as torch, viz
import minigrad.nn.functional
x = torch.ones(2, requires_grad=True)
loss = (x * x).sum()
loss.backward()
''')
offered = {}
for text in json.load(sys.stdin):
    with provisionalcompleter():
        offered[text] = [each.text.lstrip(".") for each in shell.Completer.completions(text, len(text))]
json.dump(offered, sys.stderr)
"""


@pytest.fixture(scope="module")
def offered() -> dict[str, list[str]]:
    """By what was typed, the names that IPython's own completer offers, in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _SESSION],
        input=json.dumps([*_TABS]),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(ran.stderr)


@pytest.mark.parametrize("typed", _TABS)
def test_tab_offers_what_a_learner_looks_for_and_no_inner_names(typed: str, offered: dict[str, list[str]]) -> None:
    wanted, unwanted = (set(names.split()) for names in _TABS[typed])
    assert wanted <= set(offered[typed])
    assert not unwanted & set(offered[typed])
