"""What whole models share: their list, their data and blocks of attention."""
import math

import torch
from torch import nn
from torch.nn import functional as F

WORDS, LENGTH, WIDTH, HEADS = 17, 6, 8, 2
MODELS = {}


def model(data, half=None):
    """Registers a module under its name, with its arguments for a number of samples and the submodule at which a
    second stage begins."""

    def keep(kind):
        kind.data, kind.halfway = staticmethod(data), half
        MODELS[kind.__name__] = kind
        return kind

    return keep


def words(n):
    return torch.randint(1, WORDS, (n, LENGTH))


def image(n, channels=3, side=8):
    return torch.randn(n, channels, side, side)


class Attention(nn.Module):
    def __init__(self, rotary=False, groups=HEADS):
        super().__init__()
        self.q = nn.Linear(WIDTH, WIDTH)
        self.k = nn.Linear(WIDTH, WIDTH // HEADS * groups)
        self.v = nn.Linear(WIDTH, WIDTH // HEADS * groups)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.rotary, self.groups = rotary, groups
        size = WIDTH // HEADS
        freq = 1.0 / (10000**(torch.arange(0, size, 2).float() / size))
        angle = torch.einsum("i,j->ij", torch.arange(LENGTH).float(), freq)
        angle = torch.cat((angle, angle), -1)
        self.register_buffer("cos", angle.cos()[None, None], persistent=False)
        self.register_buffer("sin", angle.sin()[None, None], persistent=False)

    def turned(self, x):
        a, b = x.chunk(2, dim=-1)
        n = x.shape[-2]
        return x * self.cos[:, :, :n] + torch.cat((-b, a), -1) * self.sin[:, :, :n]

    def forward(self, x, mask=None, memory=None):
        other = x if memory is None else memory
        b, n, _ = x.shape
        q = self.q(x).view(b, n, HEADS, -1).transpose(1, 2)
        k = self.k(other).view(b, other.shape[1], self.groups, -1).transpose(1, 2)
        v = self.v(other).view(b, other.shape[1], self.groups, -1).transpose(1, 2)
        if self.rotary:
            q, k = self.turned(q), self.turned(k)
        if self.groups != HEADS:
            k = k[:, :, None].expand(-1, -1, HEADS // self.groups, -1, -1).reshape(b, HEADS, other.shape[1], -1)
            v = torch.repeat_interleave(v, HEADS // self.groups, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if mask is not None:
            least = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(~mask, least) if mask.dtype == torch.bool else scores + mask
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1))


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        kind = x.dtype
        x = x.to(torch.float32)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        return self.weight * x.to(kind)


class Block(nn.Module):
    def __init__(self, act=F.gelu, norm=lambda: nn.LayerNorm(WIDTH), **named):
        super().__init__()
        self.a, self.ln1, self.ln2 = Attention(**named), norm(), norm()
        self.up, self.down, self.act = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH), act

    def forward(self, x, mask=None):
        x = x + self.a(self.ln1(x), mask)
        return x + self.down(self.act(self.up(self.ln2(x))))
