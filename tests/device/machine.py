"""A GPU for the tests: the real one where cupy finds one, otherwise the stand-in."""

import contextlib
import re
import sys
from collections.abc import Iterator

import minigrad
from minigrad import devices, random
from minigrad.autograd import grad_mode
from tests.device import stand_in


def is_real() -> bool:
    """Whether cupy is installed, not just stood in for, and finds a GPU."""
    cupy = sys.modules.get("cupy")
    return not (cupy and cupy.__version__.endswith("(stand-in)")) and minigrad.cuda.is_available()


@contextlib.contextmanager
def gpu(*, default: bool = True, one_generator: bool = True) -> Iterator[None]:
    """Inside, "cuda" works.

    Args:
        default: let it be the default device, so that programs need not say so.
        one_generator: let the CPU's draw for it, too, so that programs print what is recorded.
    """
    replaced = {} if is_real() else stand_in.modules()
    before = {name: sys.modules.get(name) for name in replaced}
    generator = random.cuda_generator
    sys.modules.update(replaced)
    try:
        if one_generator:
            random.cuda_generator = random.default_generator
        if default:
            minigrad.set_default_device("cuda")
        yield
    finally:
        minigrad.set_default_device(None)
        random.cuda_generator = generator
        devices._unanswered.clear()
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
        if replaced:
            grad_mode.unusual.discard("a GPU")
            devices._found = None


def as_on_cpu(text: str) -> str:
    """What was printed, without the name of the device, and without the line breaks that it may have caused."""
    text = re.sub(r",\s+device='cuda:0'", "", text).replace("torch.cuda.", "torch.")
    return re.sub(r",\s+", ", ", text)
