"""Data in batches: a `Dataset` knows its samples by number, a `DataLoader` puts them together, in order or shuffled."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..autograd.variable import TensorBase
from ..creation import as_tensor, tensor
from ..dtypes import float64
from ..functions import randperm, stack
from ..hints import hinted, names_the_nearest
from ..random import Generator, drawn

__all__ = ["DataLoader", "Dataset", "Subset", "TensorDataset", "default_collate", "random_split"]

__getattr__, __dir__ = names_the_nearest(__name__, __all__)


for _file in ("dataset", "dataloader"):  # where PyTorch keeps them, and some notes take them from
    sys.modules[f"{__name__}.{_file}"] = sys.modules[__name__]


class Dataset:
    """Samples by number. Write a class of your own with `__getitem__(i)` and `__len__()`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __class_getitem__(cls, item: Any) -> type:  # `Dataset[int]`, which says what the samples are
        return cls


class TensorDataset(Dataset):
    """Sample i is the tuple of the rows i of several tensors."""

    def __init__(self, *tensors: Any) -> None:
        if any(x.size(0) != tensors[0].size(0) for x in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(x[index] for x in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class Subset(Dataset):
    """Some of the samples of a dataset, by their numbers there."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[[self.indices[i] for i in index] if isinstance(index, list) else self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """The samples divided at random into parts of the given sizes, or fractions that add up to 1."""
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for i, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        sizes = [math.floor(total * fraction) for fraction in lengths]
        for i in range(total - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
    if sum(lengths) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(total, generator=generator, device="cpu").tolist()
    ends = itertools.accumulate(lengths)
    return [Subset(dataset, order[int(end - size) : int(end)]) for end, size in zip(ends, lengths)]


def default_collate(batch: Sequence[Any]) -> Any:
    """Samples put together: tensors stacked, numbers as a tensor, tuples and dicts entry by entry."""
    first = batch[0]
    if isinstance(first, TensorBase):
        return stack(list(batch))
    if isinstance(first, np.ndarray):
        return stack([as_tensor(each) for each in batch])
    if isinstance(first, np.generic):
        return as_tensor(np.array(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(column) for column in zip(*batch)]
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    said = f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    raise hinted(TypeError(said))


def _as_it_is(sample: Any) -> Any:
    return sample


#: What PyTorch's workers can be told.
_OF_WORKERS = {
    "in_order", "multiprocessing_context", "persistent_workers", "pin_memory_device", "prefetch_factor", "timeout",
    "worker_init_fn",
}  # fmt: skip


class DataLoader:
    """Goes through a dataset in batches, as often as one asks: `for x, y in DataLoader(data, 32, shuffle=True):`.

    Args:
        dataset: the samples; its length is needed, too.
        batch_size: how many samples make a batch; None for one sample at a time, as it is.
        shuffle: go through them in a new random order each time.
        sampler: the numbers of the samples, in the order wanted.
        collate_fn: what makes a batch of a list of samples: `default_collate`; of a sample, where there are no batches.
        drop_last: leave out a last batch that is not full.
        generator: draws the order.
        num_workers, pin_memory, options: PyTorch's; here the samples are always fetched by the program itself.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Any = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        generator: Any = None,
        **options: Any,
    ) -> None:
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        unknown = options.keys() - _OF_WORKERS
        if unknown:
            raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{min(unknown)}'")
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size <= 0):
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if shuffle and len(dataset) == 0:
            raise ValueError("num_samples should be a positive integer value, but got num_samples=0")
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.generator = generator
        self.num_workers = num_workers
        self.collate_fn = collate_fn or (default_collate if batch_size else _as_it_is)
        self._shuffle = bool(shuffle)

    def __iter__(self) -> Iterator[Any]:
        _draw(self.generator)  # PyTorch's seed for its workers
        if self.batch_size is None:
            return (self.collate_fn(self.dataset[i]) for i in self._order())
        return (self.collate_fn([self.dataset[i] for i in numbers]) for numbers in self._batches())

    def _batches(self) -> Iterator[list[int]]:
        order = iter(self._order())
        while batch := list(itertools.islice(order, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def _order(self) -> Any:
        if self.sampler is not None:
            return self.sampler
        count = len(self.dataset)
        return self._shuffled(count) if self._shuffle else range(count)

    def _shuffled(self, count: int) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            generator = Generator("cpu")
            generator.manual_seed(_draw(None))
        yield from randperm(count, generator=generator, device="cpu").tolist()
        randperm(count, generator=generator, device="cpu")  # PyTorch draws one more order and uses nothing of it

    def __len__(self) -> int:
        count = len(self.dataset) if self.sampler is None else len(self.sampler)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)


def _draw(generator: Any) -> int:
    """A random whole number, drawn as PyTorch draws its seeds."""
    return int(drawn("cpu", generator, "integers", 0, 2**63, 1)[0])
