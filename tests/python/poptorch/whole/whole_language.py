"""Models of words and sequences, as users write them: each returns results and its loss."""
import math

import torch
from torch import nn
from torch.nn import functional as F
from whole_base import Attention, Block, HEADS, LENGTH, Norm, WIDTH, WORDS, model, words


@model(lambda n: (words(n), ), "h.1")
class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.h = nn.ModuleList(Block(act=lambda x: F.gelu(x)) for _ in range(2))
        self.ln = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.wte.weight
        mask = torch.tril(torch.ones(LENGTH, LENGTH, dtype=torch.bool))
        self.register_buffer("bias", mask.view(1, 1, LENGTH, LENGTH))

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))
        for block in self.h:
            x = block(x, self.bias[:, :, :ids.shape[1], :ids.shape[1]])
        logits = self.head(self.ln(x))
        loss = F.cross_entropy(logits[..., :-1, :].contiguous().view(-1, WORDS), ids[..., 1:].contiguous().view(-1))
        return logits, loss


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.n1, self.n2 = Attention(rotary=True, groups=1), Norm(), Norm()
        self.gate, self.up, self.down = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))

    def forward(self, x, mask):
        x = x + self.a(self.n1(x), mask)
        y = self.n2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


@model(lambda n: (words(n), torch.where(torch.rand(n, LENGTH) < 0.2, torch.tensor(-100), words(n))), "layers.1")
class Llama(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList([Gated(), Gated()])
        self.norm, self.head = Norm(), nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, ids, labels):
        x = self.embed(ids)
        mask = torch.full((LENGTH, LENGTH), float("-inf")).triu(1)
        for layer in self.layers:
            x = layer(x, mask.to(x.dtype))
        logits = self.head(self.norm(x))
        return logits, F.cross_entropy(logits.view(-1, WORDS), labels.view(-1), ignore_index=-100)


def _bert(n):
    mask = (torch.arange(LENGTH)[None] < torch.randint(2, LENGTH + 1, (n, 1))).long()
    return (words(n), mask, torch.randint(0, 2, (n, LENGTH)),
            torch.where(torch.rand(n, LENGTH) < 0.5, torch.tensor(-100), words(n)), torch.randint(0, 2, (n, )))


@model(_bert, "layer.1")
class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.place, self.kind = nn.Embedding(LENGTH, WIDTH), nn.Embedding(2, WIDTH)
        self.ln = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layer = nn.ModuleList([Block(), Block()])
        self.pool, self.next = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2)
        self.transform, self.bias = nn.Linear(WIDTH, WIDTH), nn.Parameter(torch.zeros(WORDS))
        self.register_buffer("position_ids", torch.arange(LENGTH).expand((1, -1)))

    def forward(self, ids, mask, kinds, labels, following):
        x = self.ln(self.word(ids) + self.place(self.position_ids) + self.kind(kinds))
        extended = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layer:
            x = layer(x, extended)
        pooled = torch.tanh(self.pool(x[:, 0]))
        logits = F.linear(F.gelu(self.transform(x)), self.word.weight, self.bias)
        loss = F.cross_entropy(logits.view(-1, WORDS), labels.view(-1))
        return logits, loss + F.cross_entropy(self.next(pooled), following)


@model(lambda n: (words(n), words(n)), "out")
class T5(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.bias = nn.Embedding(WORDS, WIDTH), nn.Embedding(8, HEADS)
        self.enc, self.dec, self.cross, self.out = Attention(), Attention(), Attention(), nn.Linear(WIDTH, WORDS)

    def buckets(self, one, other):
        place = torch.arange(other)[None, :] - torch.arange(one)[:, None]
        found = (place > 0).long() * 4
        n = place.abs()
        far = 2 + (torch.log(n.float().clamp(min=1) / 2) / math.log(8 / 2) * 2).long()
        return found + torch.where(n < 2, n, torch.min(far, torch.full_like(far, 3)))

    def forward(self, ids, labels):
        bias = self.bias(self.buckets(LENGTH, LENGTH)).permute([2, 0, 1]).unsqueeze(0)
        x = self.embed(ids)
        x = x + self.enc(x, bias)
        shifted = labels.new_zeros(labels.shape)
        shifted[..., 1:] = labels[..., :-1].clone()
        y = self.embed(shifted)
        causal = torch.tril(torch.ones(LENGTH, LENGTH)).log()[None, None]
        y = y + self.dec(y, bias + causal.to(y.dtype).clamp(min=-1e4))
        y = y + self.cross(y, memory=x)
        logits = self.out(y) * WIDTH**-0.5
        return logits, F.nll_loss(F.log_softmax(logits, -1).transpose(1, 2), labels)


@model(lambda n: (words(n), words(n), torch.arange(LENGTH)[None] >= torch.randint(2, LENGTH + 1, (n, 1))),
       "t.decoder")
class Translator(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        place = torch.zeros(LENGTH, WIDTH)
        angle = torch.arange(LENGTH)[:, None] * torch.exp(torch.arange(0, WIDTH, 2) * (-math.log(10000.0) / WIDTH))
        place[:, 0::2], place[:, 1::2] = angle.sin(), angle.cos()
        self.register_buffer("place", place)
        self.t = nn.Transformer(WIDTH, HEADS, 1, 1, 16, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(WIDTH, WORDS)

    def forward(self, source, target, padding):
        mask = self.t.generate_square_subsequent_mask(LENGTH)
        y = self.t(self.embed(source) * math.sqrt(WIDTH) + self.place, self.embed(target) + self.place, tgt_mask=mask,
                   src_key_padding_mask=padding, memory_key_padding_mask=padding)
        logits = self.out(y)
        return logits, F.cross_entropy(logits.flatten(0, 1), target.flatten(), label_smoothing=0.1)


@model(lambda n: (words(n), words(n), torch.randn(n, 2, WIDTH), torch.randn(n, 2, WIDTH)), "decoder")
class LstmModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.rnn = nn.LSTM(WIDTH, WIDTH, 2, batch_first=True)
        self.decoder = nn.Linear(WIDTH, WORDS)
        self.decoder.weight = self.embed.weight
        nn.init.uniform_(self.embed.weight, -0.1, 0.1)

    def forward(self, x, y, h, c):
        out, (h, c) = self.rnn(self.embed(x), (h.transpose(0, 1).contiguous(), c.transpose(0, 1).contiguous()))
        logits = self.decoder(out).view(-1, WORDS)
        return h.transpose(0, 1), c.transpose(0, 1), F.cross_entropy(logits, y.view(-1))


@model(lambda n: (words(n), words(n)), "out")
class SequenceToSequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH, padding_idx=0)
        self.enc = nn.GRU(WIDTH, WIDTH // 2, bidirectional=True)
        self.cell, self.score = nn.GRUCell(2 * WIDTH, WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.v = nn.Parameter(torch.randn(WIDTH))
        self.out = nn.Linear(2 * WIDTH, WORDS)

    def forward(self, source, target):
        memory, h = self.enc(self.embed(source.t()))
        h = torch.cat([h[0], h[1]], -1)
        outs = []
        token = torch.zeros_like(target[:, 0])
        for t in range(LENGTH):
            energy = torch.tanh(self.score(torch.cat([h.unsqueeze(0).expand(LENGTH, -1, -1), memory], 2)))
            weight = torch.softmax(torch.einsum("tbw,w->bt", energy, self.v), 1)
            context = torch.bmm(weight.unsqueeze(1), memory.permute(1, 0, 2)).squeeze(1)
            h = self.cell(torch.cat([self.embed(token), context], 1), h)
            outs.append(self.out(torch.cat([h, context], 1)))
            token = target[:, t]
        logits = torch.stack(outs, 1)
        return logits, F.cross_entropy(logits.permute(0, 2, 1), target, ignore_index=0)


@model(lambda n: (torch.randn(n, LENGTH, WIDTH), torch.randint(0, 5, (n, ))), "out")
class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(WIDTH, 4, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, 16), nn.ReLU(), nn.Linear(16, WIDTH)) for _ in range(4))
        self.out = nn.Linear(WIDTH, 5)

    def forward(self, x, y):
        flat = x.view(-1, WIDTH)
        chance = F.softmax(self.gate(flat), dim=1, dtype=torch.float)
        weights, chosen = torch.topk(chance, 2, dim=-1)
        weights = (weights / weights.sum(dim=-1, keepdim=True)).to(x.dtype)
        hot = F.one_hot(chosen, 4).to(x.dtype)
        given = (weights.unsqueeze(-1) * hot).sum(1)
        made = torch.stack([expert(flat) for expert in self.experts], 1)
        flat = torch.einsum("te,tew->tw", given, made)
        balance = 4 * (hot.sum(1).mean(0) * chance.mean(0)).sum()
        logits = self.out(flat.view_as(x).mean(1))
        return logits, F.cross_entropy(logits, y) + 0.01 * balance


@model(lambda n: (torch.randint(0, WORDS, (n, 12)), ), "post")
class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        wn = nn.utils.weight_norm
        self.embed = nn.Embedding(WORDS, 4)
        self.dil = nn.ModuleList(wn(nn.Conv1d(4, 8, 2, dilation=2**i)) for i in range(3))
        self.res, self.skip = (nn.ModuleList(nn.Conv1d(4, 4, 1) for _ in range(3)) for _ in range(2))
        self.post = nn.Conv1d(4, WORDS, 1)

    def forward(self, ids):
        x, total = self.embed(ids).transpose(1, 2), 0
        for i, (d, r, s) in enumerate(zip(self.dil, self.res, self.skip)):
            a, b = d(F.pad(x, (2**i, 0))).chunk(2, 1)
            g = torch.tanh(a) * torch.sigmoid(b)
            total = total + s(g)
            x = x + r(g)
        logits = self.post(F.relu(total))
        return logits, F.cross_entropy(logits[:, :, :-1], ids[:, 1:])


@model(lambda n: (torch.randn(n, LENGTH, 4), torch.randn(n, LENGTH, 4)), "out")
class StateSpace(nn.Module):
    def __init__(self):
        super().__init__()
        self.project, self.delta, self.out = nn.Linear(4, 6), nn.Linear(4, 4), nn.Linear(4, 4)
        self.log_a, self.d = nn.Parameter(torch.log(torch.arange(1.0, 4)).repeat(4, 1)), nn.Parameter(torch.ones(4))

    def forward(self, u, y):
        b, c = self.project(u).split([3, 3], dim=-1)
        delta = F.softplus(self.delta(u))
        a = -torch.exp(self.log_a.float())
        decay = torch.exp(torch.einsum("bld,dn->bldn", delta, a.to(u.dtype)))
        inner = torch.einsum("bld,bln,bld->bldn", delta, b, u)
        state, outs = torch.zeros_like(inner[:, 0]), []
        for t in range(LENGTH):
            state = decay[:, t] * state + inner[:, t]
            outs.append(torch.einsum("bdn,bn->bd", state, c[:, t]))
        made = self.out((torch.stack(outs, dim=1) + u * self.d) * F.silu(u))
        return made, F.l1_loss(made, y) + torch.log(torch.cosh(made - y)).mean()


@model(lambda n: (torch.randn(n, LENGTH, WIDTH), ), "out")
class LinearAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("bnd,bne->bnde", k, v).cumsum(1)
        z = 1 / (torch.einsum("bnd,bnd->bn", q, k.cumsum(1)) + 1e-6)
        y = self.out(torch.einsum("bnd,bnde,bn->bne", q, kv, z))
        return y, F.mse_loss(y[:, :-1], x[:, 1:])
