"""Loaders return batches for whole calls."""
import time

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
