"""Models of images, as users write them: each returns results and its loss."""
import math

import torch
from torch import nn
from torch.nn import functional as F
from whole_base import Block, HEADS, WIDTH, WORDS, image, model, words


def twice(i, o, norm):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), norm(o), nn.ReLU(inplace=True),
                         nn.Conv2d(o, o, 3, padding=1), norm(o), nn.ReLU(inplace=True))


class _UNet(nn.Module):
    def __init__(self, norm, bilinear, inputs=3):
        super().__init__()
        self.down1, self.down2, self.mid = twice(inputs, 4, norm), twice(4, 8, norm), twice(8, 8, norm)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear",
                              align_corners=True) if bilinear else nn.ConvTranspose2d(8, 8, 2, stride=2)
        self.u2, self.u1 = twice(16, 8, norm), twice(12, 4, norm)
        self.up1 = nn.ConvTranspose2d(8, 8, 4, stride=2, padding=1)
        self.out = nn.Conv2d(4, 3, 1)

    def features(self, x, more=None):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.mid(self.pool(b))
        if more is not None:
            c = c + more[:, :, None, None]
        y = self.up(c)
        dy, dx = b.size()[2] - y.size()[2], b.size()[3] - y.size()[3]
        y = self.u2(torch.cat([b, F.pad(y, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])], dim=1))
        return self.out(self.u1(torch.cat([a, self.up1(y)], 1)))


@model(lambda n: (image(n, side=12), torch.randint(0, 3, (n, 12, 12))), "up1")
class UNet(_UNet):
    def __init__(self):
        super().__init__(nn.BatchNorm2d, True)

    def forward(self, x, wanted):
        y = self.features(x)
        chance = F.softmax(y, 1)
        hot = F.one_hot(wanted, 3).permute(0, 3, 1, 2).to(y.dtype)
        dice = 1 - (2 * (chance * hot).sum((2, 3)) + 1) / (chance.sum((2, 3)) + hot.sum((2, 3)) + 1)
        return y.argmax(1), F.cross_entropy(y, wanted) + dice.mean()


@model(lambda n: (image(n), torch.randn(n, 3, 8, 8), torch.randint(0, 10, (n, ))), "up1")
class Diffusion(_UNet):
    def __init__(self):
        super().__init__(lambda c: nn.GroupNorm(2, c), False)
        kept = torch.cumprod(1 - torch.linspace(1e-4, 0.2, 10), 0)
        self.register_buffer("kept", kept)
        self.time = nn.Sequential(nn.Linear(8, 16), nn.SiLU(), nn.Linear(16, 8))

    def forward(self, x, noise, t):
        kept = self.kept.gather(0, t).reshape(-1, 1, 1, 1)
        noisy = kept.sqrt() * x + (1 - kept).sqrt() * noise
        angle = t[:, None].to(x.dtype) * torch.exp(-math.log(100.0) * torch.arange(4, dtype=x.dtype) / 4)[None]
        y = self.features(noisy, self.time(torch.cat([angle.sin(), angle.cos()], -1)))
        return y, F.mse_loss(y, noise)


@model(lambda n: (image(n, 1), torch.randn(n, 4)), "decode")
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.LeakyReLU(0.2), nn.Flatten())
        self.mean, self.scale = nn.Linear(64, 4), nn.Linear(64, 4)
        self.decode = nn.Sequential(nn.Linear(4, 64), nn.Unflatten(1, (4, 4, 4)), nn.ReLU(),
                                    nn.ConvTranspose2d(4, 1, 3, 2, 1, 1), nn.Sigmoid())

    def forward(self, x, eps):
        h = self.encode(x)
        mean, log = self.mean(h), self.scale(h)
        y = self.decode(mean + torch.exp(0.5 * log) * eps)
        apart = -0.5 * torch.sum(1 + log - mean.pow(2) - log.exp(), 1)
        return y, F.binary_cross_entropy(y, torch.sigmoid(x)) + 0.1 * apart.mean()


@model(lambda n: (image(n), torch.randint(0, 5, (n, ))), "blocks.1")
class ViT(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, WIDTH, 4, 4)
        self.cls, self.pos = nn.Parameter(torch.zeros(1, 1, WIDTH)), nn.Parameter(torch.randn(1, 5, WIDTH) * 0.02)
        self.blocks = nn.Sequential(Block(), Block())
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 5)

    def forward(self, x, y):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.cls.expand(x.shape[0], -1, -1), x), 1) + self.pos
        logits = self.head(self.norm(self.blocks(x))[:, 0])
        return logits, F.cross_entropy(logits, y, label_smoothing=0.1)


@model(lambda n: (torch.randn(n, 4, 4, WIDTH), torch.randn(n)), "out")
class Swin(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.proj, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 1)
        self.table = nn.Parameter(torch.randn(9, HEADS) * 0.1)
        at = torch.stack(torch.meshgrid(torch.arange(2), torch.arange(2), indexing="ij")).flatten(1)
        apart = (at[:, :, None] - at[:, None, :]).permute(1, 2, 0).contiguous()
        apart[:, :, 0] += 1
        apart[:, :, 1] += 1
        apart[:, :, 0] *= 3
        self.register_buffer("index", apart.sum(-1))
        regions = torch.zeros((1, 4, 4, 1))
        count = 0
        for h in (slice(0, -2), slice(-2, -1), slice(-1, None)):
            for w in (slice(0, -2), slice(-2, -1), slice(-1, None)):
                regions[:, h, w, :] = count
                count += 1
        parts = self.windows(regions).view(-1, 4)
        mask = parts.unsqueeze(1) - parts.unsqueeze(2)
        self.register_buffer("mask", mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0))

    @staticmethod
    def windows(x):
        b, h, w, c = x.shape
        return x.view(b, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 4, c)

    def attend(self, x, mask):
        q, k, v = self.qkv(x).reshape(x.shape[0], 4, 3, HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q * q.shape[-1]**-0.5) @ k.transpose(-2, -1)
        scores = scores + self.table[self.index.view(-1)].view(4, 4, -1).permute(2, 0, 1).contiguous().unsqueeze(0)
        if mask is not None:
            scores = (scores.view(-1, 4, HEADS, 4, 4) + mask.unsqueeze(1).unsqueeze(0)).view(-1, HEADS, 4, 4)
        return self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape[0], 4, -1))

    def forward(self, x, y):
        for shift in (0, 1):
            moved = torch.roll(x, shifts=(-shift, -shift), dims=(1, 2)) if shift else x
            made = self.attend(self.windows(moved), self.mask if shift else None)
            made = made.view(-1, 2, 2, 2, 2, WIDTH).permute(0, 1, 3, 2, 4, 5).reshape(x.shape)
            x = x + (torch.roll(made, shifts=(shift, shift), dims=(1, 2)) if shift else made)
        found = self.out(x.mean((1, 2))).squeeze(-1)
        return found, F.huber_loss(found, y)


@model(lambda n: (image(n, 1), image(n, 1), torch.randint(0, 2, (n, )).float()), "fc")
class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, 3), nn.PReLU(), nn.AvgPool2d(2), nn.Conv2d(4, 4, 3), nn.ELU(),
                                  nn.Flatten())
        self.fc = nn.Linear(4, 3)

    def forward(self, a, b, same):
        e1, e2 = self.fc(self.conv(a)), self.fc(self.conv(b))
        far = F.pairwise_distance(e1, e2, keepdim=True)
        loss = torch.mean((1 - same)[:, None] * far.pow(2) + same[:, None] * torch.clamp(1.5 - far, min=0.0).pow(2))
        return far, loss


class Squeeze(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(nn.Conv2d(c, c // 2, 1), nn.ReLU(), nn.Conv2d(c // 2, c, 1), nn.Hardsigmoid())

    def forward(self, x):
        return x * self.fc(self.pool(x))


@model(lambda n: (image(n), torch.randint(0, 5, (n, ))), "tail")
class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1, bias=False), nn.BatchNorm2d(4, eps=1e-3, momentum=0.03),
                                  nn.Hardswish())
        self.block = nn.Sequential(nn.Conv2d(4, 8, 1, bias=False), nn.BatchNorm2d(8), nn.Hardswish(inplace=True),
                                   nn.Conv2d(8, 8, 3, 1, 1, groups=8, bias=False), nn.BatchNorm2d(8), nn.ReLU6(),
                                   Squeeze(8),
                                   nn.Conv2d(8, 4, 1, bias=False), nn.BatchNorm2d(4))
        self.tail = nn.Sequential(nn.Conv2d(4, 8, 1), nn.AdaptiveAvgPool2d((1, 1)), nn.Flatten(1), nn.Linear(8, 5))

    def forward(self, x, y):
        x = self.stem(x)
        logits = self.tail(x + self.block(x))
        return F.log_softmax(logits, 1), F.nll_loss(F.log_softmax(logits, 1), y)


@model(lambda n: (image(n), torch.randint(0, 5, (n, ))), "out")
class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 4, 4)
        self.tok = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
        self.chan = nn.Sequential(nn.Linear(8, 8), nn.Mish(), nn.Linear(8, 8))
        self.n1, self.n2, self.out = nn.LayerNorm(8), nn.LayerNorm(8, elementwise_affine=False), nn.Linear(8, 5)

    def forward(self, x, y):
        x = self.patch(x).flatten(2).mT
        x = x + self.tok(self.n1(x).mT).mT
        x = x + self.chan(self.n2(x))
        logits = self.out(x.mean(dim=1))
        chance = torch.exp(-F.cross_entropy(logits, y, reduction="none"))
        return logits, (-((1 - chance)**2) * torch.log(chance)).mean()


@model(lambda n: (image(n, 1, 8), torch.randint(1, 5, (n, 3))), "out")
class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d((2, 1)))
        self.rnn = nn.GRU(16, 4, bidirectional=True, batch_first=True)
        self.out = nn.Linear(8, 5)

    def forward(self, x, labels):
        x = self.conv(x).permute(0, 3, 1, 2).flatten(2)
        chance = F.log_softmax(self.out(self.rnn(x)[0]), -1)
        n = x.shape[0]
        loss = F.ctc_loss(chance.transpose(0, 1), labels, torch.full((n, ), 8), torch.full((n, ), 3),
                          zero_infinity=True)
        return chance, loss


@model(lambda n: (image(n), words(n)), "text")
class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Sequential(nn.Conv2d(3, 4, 4, 4), nn.Flatten(), nn.Linear(16, 4))
        self.embed, self.text = nn.Embedding(WORDS, 4), nn.Linear(4, 4)
        self.logit_scale = nn.Parameter(torch.ones([]) * math.log(1 / 0.07))

    def forward(self, image, text):
        i, t = self.image(image), self.text(self.embed(text).mean(1))
        i, t = i / i.norm(dim=-1, keepdim=True), t / t.norm(dim=-1, keepdim=True)
        logits = self.logit_scale.exp().clamp(max=100) * i @ t.t()
        labels = torch.arange(logits.shape[0])
        return logits, (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels)) / 2


@model(lambda n: (image(n), torch.rand(n, 3, 4), torch.randint(0, 4, (n, 3))), "dec")
class Detr(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.query = nn.Conv2d(3, WIDTH, 4, 4), nn.Parameter(torch.rand(3, WIDTH))
        self.row, self.col = nn.Parameter(torch.rand(2, WIDTH // 2)), nn.Parameter(torch.rand(2, WIDTH // 2))
        self.dec = nn.MultiheadAttention(WIDTH, HEADS)
        self.cls, self.box = nn.Linear(WIDTH, 5), nn.Linear(WIDTH, 4)
        self.register_buffer("weight", torch.tensor([1, 1, 1, 1, 0.1]))

    def forward(self, x, boxes, labels):
        h = self.conv(x)
        pos = torch.cat([self.col.unsqueeze(0).repeat(2, 1, 1), self.row.unsqueeze(1).repeat(1, 2, 1)], -1)
        pos = pos.flatten(0, 1).unsqueeze(1)
        memory = pos + h.flatten(2).permute(2, 0, 1)
        y = self.dec(self.query.unsqueeze(1).repeat(1, x.shape[0], 1), memory, memory)[0].transpose(0, 1)
        found, logits = self.box(y).sigmoid(), self.cls(y)
        loss = F.cross_entropy(logits.transpose(1, 2), labels, self.weight) + 5 * F.l1_loss(found, boxes)
        return found, loss + self.apart(found, boxes)

    @staticmethod
    def apart(one, other):
        corners = []
        for b in (one, other):
            c, s = b[..., :2], b[..., 2:] + 0.01
            corners.append((c - s / 2, c + s / 2))
        (l1, r1), (l2, r2) = corners
        over = (torch.min(r1, r2) - torch.max(l1, l2)).clamp(min=0).prod(-1)
        union = (r1 - l1).prod(-1) + (r2 - l2).prod(-1) - over
        hull = (torch.max(r1, r2) - torch.min(l1, l2)).prod(-1)
        return (1 - (over / union - (hull - union) / hull)).mean()


class Standard(nn.Conv2d):
    def forward(self, x):
        v, m = torch.var_mean(self.weight, dim=[1, 2, 3], keepdim=True, unbiased=False)
        weight = (self.weight - m) * torch.rsqrt(v + 1e-5)
        return F.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


@model(lambda n: (image(n), torch.randint(0, 4, (n, 8, 8)).masked_fill(torch.rand(n, 8, 8) < 0.1, 255)), "head")
class Segment(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(Standard(3, 8, 3, 2, 1), nn.GroupNorm(2, 8), nn.SELU())
        self.aspp = nn.ModuleList(nn.Conv2d(8, 4, 3, padding=d, dilation=d) for d in (1, 2))
        self.whole = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1))
        self.head = nn.Conv2d(12, 4, 1)

    def forward(self, x, y):
        f = self.stem(x)
        whole = F.interpolate(self.whole(f), size=f.shape[-2:], mode="bilinear", align_corners=False)
        z = self.head(torch.cat([*(a(f) for a in self.aspp), whole], 1))
        z = F.interpolate(z, scale_factor=2, mode="bicubic", align_corners=False)
        return z, F.cross_entropy(z, y, ignore_index=255)


@model(lambda n: (image(n, 1, 4), image(n, 1, 8)), "shuffle")
class Resolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 4, 3, padding=1, padding_mode="reflect")
        self.b = nn.Conv2d(4, 4, 3, padding=1, padding_mode="replicate")
        self.shuffle = nn.PixelShuffle(2)
        self.seen = nn.Conv2d(1, 3, 3, bias=False).requires_grad_(False)

    def forward(self, x, y):
        z = self.shuffle(self.b(F.relu(self.a(x))) + self.a(x))
        loss = torch.sqrt((z - y)**2 + 1e-3).mean() + F.mse_loss(self.seen(z), self.seen(y))
        return z, loss + 0.1 * (z[..., 1:, :] - z[..., :-1, :]).abs().mean() + 0.1 * z.diff(dim=-1).abs().mean()
