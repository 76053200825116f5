"""Loaders return batches for whole calls."""
import gc
import time
import weakref

import poptorch
import pytest
import torch


class Numbers(torch.utils.data.Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.tensor([float(index)]), index


def options_of(iterations=2, accumulation=3, replicas=2):
    options = poptorch.Options().deviceIterations(iterations).replicationFactor(replicas)
    options.Training.gradientAccumulation(accumulation)
    return options


@pytest.mark.parametrize("mode", list(poptorch.DataLoaderMode))
def test_a_batch_is_that_of_a_call(mode):
    loader = poptorch.DataLoader(options_of(), Numbers(50), batch_size=2, mode=mode)
    assert loader.combinedBatchSize == 24 and len(loader) == 2
    for _ in range(2):
        batches = [indices.tolist() for _, indices in loader]
        assert batches == [list(range(24)), list(range(24, 48))]
    loader.terminate()


def test_a_last_batch_that_is_not_whole_must_be_dropped():
    with pytest.raises(AssertionError, match="not divisible"):
        poptorch.DataLoader(options_of(), Numbers(50), batch_size=2, drop_last=False)


def test_workers_read_in_processes():
    loader = poptorch.DataLoader(options_of(), Numbers(48), batch_size=2, num_workers=2)
    assert sorted(i for _, indices in loader for i in indices.tolist()) == list(range(48))


def test_each_process_reads_its_share():
    seen = []
    for process in range(2):
        options = poptorch.Options()
        options.Distributed.configureProcessId(process, 2)
        loader = poptorch.DataLoader(options, Numbers(10), batch_size=2)
        seen.append([i for _, indices in loader for i in indices.tolist()])
    assert seen == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_reading_ahead_ends_with_the_dataset_and_begins_again():
    accessor = poptorch.AsynchronousDataAccessor(range(5), buffer_size=2)
    for _ in range(2):
        assert list(accessor) == list(range(5))
    assert len(accessor) == 5


def test_a_dataset_that_is_only_indexed_is_read_to_its_length():
    accessor = poptorch.AsynchronousDataAccessor(Numbers(5))  # has elements beyond it, too
    assert [index for _, index in accessor] == [0, 1, 2, 3, 4]


def test_what_goes_wrong_while_reading_ahead_is_raised():
    def broken():
        yield 1
        raise OSError("no disk")

    accessor = poptorch.AsynchronousDataAccessor(broken())
    iterator = iter(accessor)
    assert next(iterator) == 1
    with pytest.raises(OSError, match="no disk"):
        next(iterator)


def test_reading_ahead_can_be_left():
    accessor = poptorch.AsynchronousDataAccessor(range(1000), buffer_size=2, early_preload=True)
    next(iter(accessor))
    start = time.monotonic()
    accessor.terminate()
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("workers", [0, 2])
def test_processes_draw_one_order_of_the_whole_dataset_for_each_epoch(workers):
    epochs = [[], [], []]
    for process in range(2):
        options = poptorch.Options().randomSeed(3)
        options.Distributed.configureProcessId(process, 2)
        loader = poptorch.DataLoader(options, Numbers(9), batch_size=2, shuffle=True, num_workers=workers)
        for epoch in epochs:
            epoch.append({i for _, indices in loader for i in indices.tolist()})
    for first, other in epochs:
        assert len(first) == len(other) == 4 and not first & other
    assert len({frozenset(first) for first, _ in epochs}) > 1  # not the same share each time
    assert all(first | other | epochs[n + 1][0] | epochs[n + 1][1] == set(range(9))
               for n, (first, other) in enumerate(epochs[:-1]))


def test_what_is_read_ahead_keeps_its_loader():
    def numbers():
        return iter(poptorch.DataLoader(poptorch.Options(), Numbers(6), batch_size=2,
                                        mode=poptorch.DataLoaderMode.Async))
    assert [indices.tolist() for _, indices in numbers()] == [[0, 1], [2, 3], [4, 5]]


class Parts(torch.utils.data.IterableDataset):
    """Numbers, of which each process that reads has as many."""

    def __iter__(self):
        worker = torch.utils.data.get_worker_info().id
        return iter([(torch.tensor(5 * worker + i), {"twice": 2 * i}) for i in range(5)])


def test_batches_are_joined_from_what_processes_read():
    def first_of_none(_worker):
        return None

    loader = poptorch.DataLoader(poptorch.Options(), Parts(), batch_size=4, num_workers=3,
                                 mode=poptorch.DataLoaderMode.AsyncRebatched, worker_init_fn=first_of_none)
    for _ in range(2):
        batches = list(loader)
        assert [len(numbers) for numbers, _ in batches] == [4, 4, 4]  # of 15; each process alone has one of 4
        assert all((part["twice"] == 2 * (numbers % 5)).all() for numbers, part in batches)
        assert len({n for numbers, _ in batches for n in numbers.tolist()}) == 12


@pytest.mark.parametrize("mode", list(poptorch.DataLoaderMode))
def test_a_loader_ends_with_its_last_name(mode):
    """Not at any time later, when its processes would be waited for in another loader's thread."""
    loader = poptorch.DataLoader(poptorch.Options(), torch.arange(8), batch_size=2, mode=mode)
    assert sum(1 for _ in loader) == 4
    gone = weakref.ref(loader)
    gc.disable()
    try:
        del loader
        assert gone() is None
    finally:
        gc.enable()
