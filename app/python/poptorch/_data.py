"""Loaders of batches for whole calls."""
from __future__ import annotations

import copy
import queue
import threading
from typing import Any, Dict, Iterable, Iterator, List, Optional

import torch

from . import enums
from ._errors import Error
from ._logging import logger
from .options import Options
from .profiling import Channel


class _Part(torch.utils.data.Dataset):
    """The part of a dataset that is read by one of several processes. With ``shuffle`` all processes draw
    the same order of the whole dataset for each epoch, and elements that were left out come next."""

    def __init__(self, dataset: Any, options: Options, step: int, shuffle: bool) -> None:
        processes = options.Distributed.numProcesses
        each = step * (len(dataset) // (step * processes))
        self._dataset = dataset
        self._offset = options.Distributed.processId * each
        self._length = min(each, len(dataset) - self._offset)
        self._used = each * processes
        # In memory that processes which read share.
        self._order = torch.arange(len(dataset)).share_memory_()
        self._draws: Optional[torch.Generator] = None
        if shuffle:
            seed = options.random_seed if options.exists("random_seed") else 0
            self._draws = torch.Generator().manual_seed(abs(seed))

    def begin_epoch(self) -> None:
        """Draws the order of the next epoch."""
        if self._draws is None:
            return
        used, left = self._order[:self._used], self._order[self._used:]
        used = used[torch.randperm(len(used), generator=self._draws)]
        order = torch.cat([left, used])
        first = order[:self._used][torch.randperm(self._used, generator=self._draws)]
        self._order.copy_(torch.cat([first, order[self._used:]]))

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_draws": None}

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: int) -> Any:
        return self._dataset[int(self._order[index + self._offset])]


class DataLoader(torch.utils.data.DataLoader):
    """PyTorch's DataLoader with batches of whole calls: ``batch_size`` samples for each of device
    iterations x replicas x gradient accumulation.

    Args:
        options: of the model that gets the data.
        dataset: as PyTorch's.
        batch_size: samples of a micro-batch; None if the dataset makes batches itself.
        shuffle: a new order in each epoch.
        num_workers: processes that read.
        drop_last: leaves out the last batch of an epoch if it is incomplete.
        persistent_workers: keeps the processes between epochs; None: if there are any.
        auto_distributed_partitioning: each of several processes reads its own part.
        mode: whether batches are loaded ahead of the caller.
        async_options: of :class:`poptorch.AsynchronousDataAccessor`.
        rebatched_worker_size: samples that a process reads at once with DataLoaderMode.AsyncRebatched.
        kwargs: of PyTorch's.

    Raises:
        AssertionError: if the last batch is incomplete and ``drop_last`` is False, unless calls have one
            micro-batch.
    """

    def __init__(self, options: Options, dataset: Any, batch_size: Optional[int] = 1,
                 shuffle: Optional[bool] = None, num_workers: int = 0, drop_last: bool = True,
                 persistent_workers: Optional[bool] = None,
                 auto_distributed_partitioning: bool = True,
                 mode: enums.DataLoaderMode = enums.DataLoaderMode.Sync,
                 async_options: Optional[Dict[str, Any]] = None,
                 rebatched_worker_size: Optional[int] = None, **kwargs: Any) -> None:
        assert isinstance(options, Options), (
            "the first argument of poptorch.DataLoader is poptorch.Options")
        options._freeze()
        self._options = options
        self._combined: Optional[int] = None
        self._accessor: Optional[AsynchronousDataAccessor] = None
        if batch_size is not None:
            self._combined = batch_size * options._batch_multiplier(training=True)
        self._part: Optional[_Part] = None
        self._rebatches = mode == enums.DataLoaderMode.AsyncRebatched and self._combined is not None
        is_iterable = isinstance(dataset, torch.utils.data.IterableDataset)
        if is_iterable:
            self._check_iterable(num_workers, kwargs)
        else:
            dataset = self._share(dataset, drop_last, auto_distributed_partitioning, bool(shuffle))
            shuffle = shuffle and self._part is None
            dataset = Channel("dataset").instrument(dataset, "__getitem__")
        if not is_iterable:
            kwargs["shuffle"] = bool(shuffle)
        each = self._combined
        if self._rebatches:
            each = rebatched_worker_size or max(1, (each or 1) // max(1, num_workers))
        self._drops_last = drop_last
        super().__init__(dataset,
                         batch_size=each,
                         num_workers=num_workers,
                         drop_last=drop_last and each is not None and not self._rebatches,
                         persistent_workers=(num_workers > 0
                                             if persistent_workers is None else persistent_workers),
                         **kwargs)
        if mode != enums.DataLoaderMode.Sync:
            # Of a loader of its own: one within a cycle would stop its processes at any time.
            plain: Any = _PlainLoader(copy.copy(self))
            if self._rebatches:
                plain = _Rebatched(plain, self._combined or 1, drop_last)
            self._accessor = AsynchronousDataAccessor(plain, **(async_options or {}))

    def _check_iterable(self, num_workers: int, kwargs: Dict[str, Any]) -> None:
        assert self._options.Distributed.numProcesses == 1, (
            "IterableDatasets not supported for distributed execution")
        if num_workers > 1 and "worker_init_fn" not in kwargs:
            logger.warning(
                "IterableDataset used with num_workers=%d but no worker_init_fn specified: as a "
                "result the DataLoader will return %d times each element in the dataset",
                num_workers, num_workers)

    def _share(self, dataset: Any, drop_last: bool, partitions: bool, shuffle: bool) -> Any:
        processes = self._options.Distributed.numProcesses
        step = self._combined
        each_is_a_call = processes == 1 and self._options._batch_multiplier(training=True) == 1
        assert drop_last or step is None or each_is_a_call or len(dataset) % (step * processes) == 0, (
            f"The number of elements in the dataset ({len(dataset)}) is not divisible by the "
            f"number of elements processed per step ({(step or 1) * processes}) and "
            "drop_last=False. Switch to drop_last=True.")
        if processes == 1 or not partitions or step is None:
            return dataset
        self._part = _Part(dataset, self._options, step, shuffle)
        return self._part

    def __len__(self) -> int:
        if not self._rebatches:
            return super().__len__()
        whole, rest = divmod(len(self.dataset), self._combined or 1)
        return whole + (rest > 0 and not self._drops_last)

    def _begin_epoch(self) -> None:
        if self._part is not None:
            self._part.begin_epoch()

    @property
    def combinedBatchSize(self) -> Optional[int]:
        """Samples of a call."""
        return self._combined

    @property
    def options(self) -> Options:
        """The options given."""
        return self._options

    def terminate(self) -> None:
        """Stops loading ahead."""
        if self._accessor is not None:
            self._accessor.terminate()

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        if self._accessor is not None:
            return iter(self._accessor)
        self._begin_epoch()
        return super().__iter__()


class _PlainLoader:
    """A DataLoader without loading ahead."""

    def __init__(self, loader: DataLoader) -> None:
        self._loader = loader

    def __len__(self) -> int:
        return len(self._loader)

    def __iter__(self) -> Iterator[Any]:
        self._loader._begin_epoch()
        return torch.utils.data.DataLoader.__iter__(self._loader)


def _joined(parts: List[Any]) -> Any:
    """Nested batches one after the other."""
    first = parts[0]
    if isinstance(first, torch.Tensor):
        return torch.cat(parts)
    if isinstance(first, dict):
        return {key: _joined([part[key] for part in parts]) for key in first}
    return type(first)(_joined(list(each)) for each in zip(*parts))


def _cut(batch: Any, begin: int, end: int) -> Any:
    """Some elements of nested batches."""
    if isinstance(batch, torch.Tensor):
        return batch[begin:end]
    if isinstance(batch, dict):
        return {key: _cut(part, begin, end) for key, part in batch.items()}
    return type(batch)(_cut(part, begin, end) for part in batch)


def _count(batch: Any) -> int:
    if isinstance(batch, torch.Tensor):
        return int(batch.shape[0])
    return _count(next(iter(batch.values() if isinstance(batch, dict) else batch)))


class _Rebatched:
    """Batches of a size from the smaller ones that processes read, so that none of these drops any."""

    def __init__(self, parts: _PlainLoader, size: int, drops_last: bool) -> None:
        self._parts, self._size, self._drops_last = parts, size, drops_last

    def __len__(self) -> int:
        return len(self._parts)

    def __iter__(self) -> Iterator[Any]:
        parts = iter(self._parts)  # starts processes in the caller's thread

        def batches() -> Iterator[Any]:
            waiting: List[Any] = []
            for part in parts:
                waiting.append(part)
                if sum(map(_count, waiting)) < self._size:
                    continue
                whole = _joined(waiting)
                while _count(whole) >= self._size:
                    yield _cut(whole, 0, self._size)
                    whole = _cut(whole, self._size, _count(whole))
                waiting = [whole] if _count(whole) else []
            if waiting and not self._drops_last:
                yield _joined(waiting)

        return batches()


class _Failure:
    """The error that ended a worker."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_END = object()


class AsynchronousDataAccessor:
    """Reads a dataset ahead of its caller, in a thread.

    Args:
        dataset: any iterable.
        buffer_size: maximum number of elements loaded ahead.
        miss_sleep_time_in_ms: without effect; the thread waits for room.
        load_indefinitely: starts the next epoch before it is requested.
        early_preload: starts at once, not with the first request.
        sharing_strategy: without effect; a thread shares all memory.
        rebatched_size: without effect.
    """

    def __init__(self, dataset: Iterable[Any], buffer_size: int = 3,
                 miss_sleep_time_in_ms: float = 0.1, load_indefinitely: bool = True,
                 early_preload: bool = False,
                 sharing_strategy: enums.SharingStrategy = enums.SharingStrategy.FileSystem,
                 rebatched_size: Optional[int] = None) -> None:
        self._worker: Optional[_Worker] = None
        if buffer_size < 1:
            raise Error(f"AsynchronousDataAccessor: buffer_size must be 1 or more, "
                        f"not {buffer_size}")
        self._dataset = dataset
        self._size = buffer_size
        Channel("dataloader").instrument(self, "__next__", "terminate")
        if early_preload:
            self._worker = _Worker(dataset, buffer_size)

    def __len__(self) -> int:
        return len(self._dataset)  # type: ignore[arg-type]

    def terminate(self) -> None:
        """Ends the thread."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

    def __del__(self) -> None:
        self.terminate()

    def __iter__(self) -> "AsynchronousDataAccessor":
        if self._worker is None or self._worker.used:
            self.terminate()
            self._worker = _Worker(self._dataset, self._size)
        return self

    def __next__(self) -> Any:
        if self._worker is None:
            raise StopIteration
        element = self._worker.next()
        if element is _END:
            self.terminate()
            raise StopIteration
        if isinstance(element, _Failure):
            self.terminate()
            raise element.error
        return element


def _elements_of(dataset: Any) -> Iterator[Any]:
    """An epoch. Python itself would ask a dataset without ``__iter__`` for elements beyond its length."""
    if hasattr(dataset, "__iter__") or not hasattr(dataset, "__len__"):
        return iter(dataset)
    return map(dataset.__getitem__, range(len(dataset)))


class _Worker:
    """A thread that reads an epoch. It is prepared in the caller's thread, where random orders are
    drawn and processes started."""

    def __init__(self, dataset: Iterable[Any], size: int) -> None:
        self.used = False
        self._ready: "queue.Queue[Any]" = queue.Queue(size)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._read,
                                        args=(_elements_of(dataset), ),
                                        name="Loader",
                                        daemon=True)
        self._thread.start()

    def next(self) -> Any:
        self.used = True
        return self._ready.get()

    def stop(self) -> None:
        self._stopped.set()
        while self._thread.is_alive():
            try:
                self._ready.get_nowait()
            except queue.Empty:
                self._thread.join(0.01)

    def _put(self, element: Any) -> bool:
        while not self._stopped.is_set():
            try:
                self._ready.put(element, timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def _read(self, elements: Iterator[Any]) -> None:
        try:
            for element in elements:
                if not self._put(element):
                    return
            self._put(_END)
        except BaseException as error:  # pylint: disable=broad-except
            self._put(_Failure(error))

