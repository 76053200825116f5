"""Whole models as users write them train as in PyTorch, in all modes; two programs share parts; a cache is state."""
import copy
import os
import sys
from pathlib import Path

import poptorch
import pytest
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parent / "whole"))

import whole_peers  # noqa: E402
from whole_base import HEADS, WIDTH, WORDS, Attention  # noqa: E402

#: Models of a run in the gate; TILESCOPE_ORACLE_SEED and TILESCOPE_ORACLE_COUNT choose others.
COUNT, FIRST_SEED = 3, 1


def test_random_models_in_random_modes():
    seed = int(os.environ.get("TILESCOPE_ORACLE_SEED") or FIRST_SEED)
    count = int(os.environ.get("TILESCOPE_ORACLE_COUNT") or COUNT)
    compared, found = whole_peers.failures(seed, count)
    assert not found, f"seed {seed}: " + "\n".join(found)
    assert compared == count


def test_rows_chosen_from_a_weight_in_half_train():
    """Parts that subscripts make were taken for constants once."""
    assert whole_peers.differences("Knowledge", "half", "sgd", 353) == []


def test_a_fault_is_found(monkeypatch):
    """What a learning rate that is a hundredth higher makes is a difference."""
    from poptorch import _optimizers
    original = _optimizers.job_options
    monkeypatch.setattr(_optimizers, "job_options", lambda *given: {
        key: value.replace("0.05", "0.0505") if isinstance(value, str) else value
        for key, value in original(*given).items()})
    assert whole_peers.differences("TiedAutoencoder", "plain", "sgd", 1)


class Adversarial(nn.Module):
    """A generator's or a critic's step of the same two networks."""

    def __init__(self, generator, critic, trains_critic):
        super().__init__()
        self.generator, self.critic, self.trains_critic = generator, critic, trains_critic
        self.loss = nn.BCEWithLogitsLoss()

    def forward(self, noise, real):
        made = self.generator(noise)
        if not self.trains_critic:
            found = self.critic(made)
            return made, self.loss(found, torch.ones_like(found))
        found = self.critic(torch.cat([real, made.detach()]))
        wanted = torch.cat([torch.ones_like(found[:len(real)]), torch.zeros_like(found[len(real):])])
        return made, self.loss(found, wanted)


def test_two_programs_train_parts_that_they_share():
    """Each sees what the other one has trained, in turn."""
    nets = [nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4)),
            nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))]
    peers = copy.deepcopy(nets)
    adam = {"lr": 0.02, "betas": (0.5, 0.999), "eps": whole_peers.EPSILON}
    steps = [(Adversarial(*nets, critic), Adversarial(*peers, critic)) for critic in (True, False)]
    programs, optimizers = [], []
    for (mine, theirs), trained in zip(steps, (1, 0)):
        programs.append(poptorch.trainingModel(mine, optimizer=torch.optim.Adam(nets[trained].parameters(), **adam)))
        optimizers.append(torch.optim.Adam(peers[trained].parameters(), **adam))
    for _ in range(4):
        for program, (_, theirs), optimizer in zip(programs, steps, optimizers):
            noise, real = torch.randn(6, 3), torch.randn(6, 4) + 1
            made, loss = program(noise, real)
            wanted, wanted_loss = theirs(noise, real)
            theirs.zero_grad()
            wanted_loss.backward()
            optimizer.step()
            assert torch.allclose(made, wanted, atol=1e-4) and torch.allclose(loss, wanted_loss, atol=1e-5)
    for mine, theirs in zip(nets, peers):
        for (name, one), other in zip(mine.state_dict().items(), theirs.state_dict().values()):
            assert torch.allclose(one, other, atol=1e-4), name


class Decoder(nn.Module):
    """One word at a time, with the keys and values of those before in buffers."""

    def __init__(self, longest):
        super().__init__()
        self.embed, self.attention, self.out = nn.Embedding(WORDS, WIDTH), Attention(), nn.Linear(WIDTH, WORDS)
        self.register_buffer("keys", torch.zeros(1, HEADS, longest, WIDTH // HEADS))
        self.register_buffer("values", torch.zeros(1, HEADS, longest, WIDTH // HEADS))
        self.register_buffer("count", torch.zeros(1, dtype=torch.long))

    def forward(self, word):
        a, x = self.attention, self.embed(word)
        q, k, v = (layer(x).view(1, 1, HEADS, -1).transpose(1, 2) for layer in (a.q, a.k, a.v))
        is_here = (torch.arange(self.keys.shape[2]) == self.count)[:, None]
        self.keys.copy_(torch.where(is_here, k, self.keys))
        self.values.index_copy_(2, self.count, v)
        scores = q @ self.keys.transpose(-2, -1) / (WIDTH // HEADS)**0.5
        scores = scores.masked_fill(torch.arange(self.keys.shape[2]) > self.count, float("-inf"))
        self.count += 1
        return self.out(a.out((scores.softmax(-1) @ self.values).transpose(1, 2).reshape(1, 1, -1)))


@pytest.mark.parametrize("half", [False, True])
def test_a_cache_of_keys_and_values_is_state(half):
    model = Decoder(5).eval()
    peer = copy.deepcopy(model)
    program = poptorch.inferenceModel(model.half() if half else model)
    word = torch.tensor([[3]])
    for _ in range(5):
        found, wanted = program(word), peer(word)
        assert torch.allclose(found.float(), wanted, atol=1e-2 if half else 1e-5)
        word = wanted[:, -1].argmax(-1, keepdim=True)
    program.copyWeightsToHost()
    assert int(model.count) == 5 and torch.allclose(model.keys.float(), peer.keys, atol=1e-2 if half else 1e-5)
