"""A GPU for the tests: the real one where cupy finds one, otherwise the stand-in."""

import contextlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

import minigrad
from minigrad import devices, random
from minigrad.autograd import grad_mode
from tests.device import stand_in


def is_real() -> bool:
    """Whether cupy is installed, not just stood in for, and finds a GPU."""
    cupy = sys.modules.get("cupy")
    return not (cupy and cupy.__version__.endswith("(stand-in)")) and minigrad.cuda.is_available()


@contextlib.contextmanager
def gpu(*, default: bool = True, cpu_numbers: bool = True) -> Iterator[None]:
    """Inside, "cuda" works.

    Args:
        default: let it be the default device, so that programs need not say so.
        cpu_numbers: let its generator give the CPU's numbers, so that programs print what is recorded.
    """
    replaced = {} if is_real() else stand_in.modules()
    before = {name: sys.modules.get(name) for name in replaced}
    generator = random.cuda_generator
    sys.modules.update(replaced)
    try:
        if cpu_numbers:
            random.cuda_generator = FromCpu("cuda")
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


class FromCpu(random.CudaGenerator):
    """The CPU's random numbers, copied to the GPU."""

    def __init__(self, device: Any) -> None:
        self.cpu = random.default_generator
        super().__init__(device)

    def manual_seed(self, seed: int) -> Any:
        return self

    def get_state(self) -> Any:
        return self.cpu.get_state()

    def set_state(self, new_state: Any) -> Any:
        self.cpu.set_state(new_state)
        return self

    def _to_gpu(self, numbers: np.ndarray) -> Any:
        return devices.move(numbers, devices.device("cuda"))

    def uniform(self, count: int, dtype: np.dtype) -> Any:
        return self._to_gpu(self.cpu.uniform(count, dtype))

    def normal(self, count: int, dtype: np.dtype, one_by_one: bool = False) -> Any:
        return self._to_gpu(self.cpu.normal(count, dtype, one_by_one))

    def integers(self, low: int, high: int, count: int) -> Any:
        return self._to_gpu(self.cpu.integers(low, high, count))

    def permutation(self, n: int) -> Any:
        return self._to_gpu(self.cpu.permutation(n))


def as_on_cpu(text: str) -> str:
    """What was printed, without the name of the device, and without the line breaks that it may have caused."""
    text = re.sub(r",\s+device='cuda:0'", "", text).replace("torch.cuda.", "torch.")
    return re.sub(r",\s+", ", ", text)
