"""Other models as users write them, of graphs, rows and rays: each returns results and its loss."""
import torch
from torch import nn
from torch.nn import functional as F
from whole_base import LENGTH, WIDTH, image, model


@model(lambda n: (torch.randn(n, 12), ), "back")
class TiedAutoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(12, 8), nn.Linear(8, 3)
        self.back = nn.Identity()
        self.b1, self.b2 = nn.Parameter(torch.zeros(8)), nn.Parameter(torch.zeros(12))

    def forward(self, x):
        code = torch.relu(self.second(torch.tanh(self.first(x))))
        y = F.linear(self.back(code), self.second.weight.t(), self.b1)
        y = F.linear(torch.tanh(y), self.first.weight.t(), self.b2)
        penalty = 1e-3 * sum(p.pow(2).sum() for p in self.parameters())
        return y, F.smooth_l1_loss(y, x) + 1e-2 * code.abs().sum(1).mean() + penalty


@model(lambda n: (torch.randn(n, 5), torch.randn(n, 5), torch.randn(n, 5)), "net.2")
class Triplet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 8), nn.Softplus(), nn.Linear(8, 4))
        self.loss = nn.TripletMarginWithDistanceLoss(margin=0.3,
                                                     distance_function=lambda x, y: 1 - F.cosine_similarity(x, y))

    def forward(self, a, p, n):
        e = [F.normalize(self.net(x), dim=-1) for x in (a, p, n)]
        return e[0], self.loss(*e) + F.triplet_margin_loss(*e, margin=0.5, swap=True)


def _graph(n):
    return torch.randn(n, 7, 4), torch.randint(0, 7, (n, 2, 10)), torch.randint(0, 3, (n, ))


@model(_graph, "out")
class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.att = nn.Linear(4, 8), nn.Linear(8, 8), nn.Parameter(torch.randn(8))
        self.out = nn.Linear(8, 3)

    def spread(self, x, src, dst):
        sent = torch.gather(x, 1, src.unsqueeze(-1).expand(-1, -1, x.shape[-1]))
        score = F.leaky_relu((sent * self.att).sum(-1), 0.2)
        score = torch.exp(score - score.max(-1, keepdim=True).values)
        total = torch.zeros(x.shape[:2], dtype=x.dtype).scatter_add(1, dst, score)
        weight = score / (torch.gather(total, 1, dst) + 1e-6)
        place = dst.unsqueeze(-1).expand(-1, -1, x.shape[-1])
        return torch.zeros_like(x).scatter_add_(1, place, sent * weight.unsqueeze(-1))

    def forward(self, x, edges, y):
        src, dst = edges[:, 0], edges[:, 1]
        x = F.elu(self.spread(self.a(x), src, dst))
        x = self.b(x + self.spread(x, src, dst))
        logits = self.out(torch.cat([x.max(1)[0][:, :4], x.mean(1)[:, 4:]], -1))
        return logits, F.cross_entropy(logits, y, weight=torch.tensor([1.0, 2.0, 0.5], dtype=x.dtype))


@model(lambda n: (torch.randn(n, 4), torch.randint(0, 9, (n, 3, 2)), torch.rand(n)), "top")
class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.bags = nn.ModuleList(nn.EmbeddingBag(9, 4, mode="sum") for _ in range(3))
        self.bottom, self.top = nn.Linear(4, 4), nn.Linear(4 + 6, 1)

    def forward(self, dense, sparse, y):
        x = F.relu(self.bottom(dense))
        t = torch.stack([x] + [bag(sparse[:, i]) for i, bag in enumerate(self.bags)], 1)
        z = torch.bmm(t, t.transpose(1, 2))
        i, j = torch.tril_indices(4, 4, offset=-1)
        r = torch.cat([x, z[:, i, j]], 1)
        p = self.top(r).squeeze(1)
        return torch.sigmoid(p), F.binary_cross_entropy_with_logits(p, y, pos_weight=torch.tensor(2.0, dtype=p.dtype))


@model(lambda n: (torch.randn(n, 5), torch.randn(n, 5)), "predict")
class Momentum(nn.Module):
    """BYOL: a target that follows the trained encoder."""

    def __init__(self):
        super().__init__()
        self.online, self.predict = nn.Linear(5, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        self.register_buffer("target", self.online.weight.detach().clone())

    def forward(self, a, b):
        with torch.no_grad():
            self.target.mul_(0.9).add_(self.online.weight.detach(), alpha=0.1)
            there = F.normalize(F.linear(b, self.target), dim=-1)
        here = F.normalize(self.predict(self.online(a)), dim=-1)
        return here, 2 - 2 * (here * there.detach()).sum(-1).mean()


@model(lambda n: (torch.randn(n, 4), torch.randint(0, 3, (n, )), torch.randn(n), torch.randn(n)), "value")
class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.policy, self.value = nn.Linear(4, 8), nn.Linear(8, 3), nn.Linear(8, 1)

    def forward(self, s, action, gain, old):
        h = torch.tanh(self.body(s))
        d = torch.distributions.Categorical(logits=self.policy(h))
        ratio = torch.exp((d.log_prob(action) - old).clamp(-2, 2))
        first, second = ratio * gain, torch.clamp(ratio, 0.8, 1.2) * gain
        value = self.value(h).squeeze(-1)
        loss = -torch.min(first, second).mean() + 0.5 * (gain - value).pow(2).mean()
        return d.probs, loss - 0.01 * d.entropy().mean()


@model(lambda n: (torch.randn(n, 2), torch.randn(n, 2)), "out")
class Ode(nn.Module):
    def __init__(self):
        super().__init__()
        self.f, self.out = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)), nn.Linear(2, 2)

    def at(self, t, x):
        return self.f(torch.cat([x, torch.full_like(x[:, :1], t)], 1))

    def forward(self, x, y):
        h = 0.25
        for i in range(4):
            t = i * h
            k1 = self.at(t, x)
            k2 = self.at(t + h / 2, x + h / 2 * k1)
            k3 = self.at(t + h / 2, x + h / 2 * k2)
            k4 = self.at(t + h, x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        x = self.out(x)
        return x, F.mse_loss(x, y, reduction="sum")


@model(lambda n: (torch.randn(n, 6), ), "dec")
class Quantised(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.dec, self.codes = nn.Linear(6, 4), nn.Linear(4, 6), nn.Embedding(5, 4)

    def forward(self, x):
        z = self.enc(x)
        far = z.pow(2).sum(1, keepdim=True) + self.codes.weight.pow(2).sum(1) - 2 * z @ self.codes.weight.t()
        chosen = far.argmin(1)
        q = self.codes(chosen)
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(q.detach(), z)
        q = z + (q - z).detach()
        return chosen, F.mse_loss(self.dec(q), x) + loss


@model(lambda n: (torch.randn(n, 6, 4), torch.randint(0, 3, (n, ))), None)
class Capsules(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1, 6, 3, 5, 4) * 0.3)

    @staticmethod
    def squash(s):
        n = (s**2).sum(-1, keepdim=True)
        return n * s / ((1.0 + n) * torch.sqrt(n + 1e-6))

    def forward(self, x, y):
        u = (self.w @ x[:, :, None, :, None]).squeeze(-1)
        b = torch.zeros(x.shape[0], 6, 3, 1, dtype=x.dtype)
        for i in range(3):
            c = F.softmax(b, dim=2)
            s = (c * (u if i == 2 else u.detach())).sum(1, keepdim=True)
            v = self.squash(s)
            if i < 2:
                b = b + (u.detach() * v).sum(-1, keepdim=True)
        size = v.squeeze(1).norm(dim=-1)
        hot = torch.eye(3, dtype=x.dtype).index_select(dim=0, index=y)
        return size, (hot * F.relu(0.9 - size)**2 + 0.5 * (1 - hot) * F.relu(size - 0.1)**2).sum(1).mean()


@model(lambda n: (torch.randn(n, 5, 3), torch.sort(torch.rand(n, 5), 1)[0] + torch.arange(5) * 0.1, torch.rand(n, 3)),
       "rgb")
class Radiance(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.sigma, self.rgb = nn.Linear(15, 8), nn.Linear(23, 8), nn.Linear(8, 1), nn.Linear(8, 3)

    def forward(self, x, t, wanted):
        code = torch.cat([x] + [f(x * 2.0**k) for k in range(2) for f in (torch.sin, torch.cos)], -1)
        h = F.relu(self.b(torch.cat([F.relu(self.a(code)), code], -1)))
        sigma, rgb = F.relu(self.sigma(h)).squeeze(-1), torch.sigmoid(self.rgb(h))
        gaps = torch.cat([t[:, 1:] - t[:, :-1], torch.full_like(t[:, :1], 0.5)], -1)
        alpha = 1 - torch.exp(-sigma * gaps)
        left = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-6], -1), -1)[:, :-1]
        found = ((alpha * left)[..., None] * rgb).sum(-2)
        return found, ((found - wanted)**2).mean() - 10 * 0.01 * torch.log10(left + 0.1).mean()


@model(lambda n: (image(n, 2, 6), torch.randn(n, 3), torch.randint(0, 4, (n, ))), "out")
class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.make, self.out = nn.Linear(3, 4 * 2 * 9), nn.Linear(4, 4)

    def forward(self, x, z, y):
        n = x.shape[0]
        w = self.make(z).view(n * 4, 2, 3, 3)
        w = w * torch.rsqrt(w.pow(2).sum([1, 2, 3], keepdim=True) + 1e-8)
        made = F.conv2d(x.reshape(1, -1, 6, 6), w, padding=1, groups=n).view(n, 4, 6, 6)
        logits = self.out(F.adaptive_avg_pool2d(F.leaky_relu(made), 1).flatten(1))
        return logits, F.multi_margin_loss(logits, y)


@model(lambda n: (torch.randn(n, 6), torch.randint(0, 4, (n, ))), "student.2")
class Distilled(nn.Module):
    def __init__(self):
        super().__init__()
        self.teacher = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 4)).eval()
        for p in self.teacher.parameters():
            p.requires_grad = False
        self.student = nn.Sequential(nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 4))

    def train(self, mode=True):
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x, y):
        with torch.no_grad():
            taught = self.teacher(x)
        s = self.student(x)
        soft = F.kl_div(F.log_softmax(s / 2, 1), F.softmax(taught / 2, 1), reduction="batchmean") * 4
        return s, 0.7 * soft + 0.3 * F.cross_entropy(s, y)


@model(lambda n: (torch.randint(0, 9, (n, )), torch.randint(0, 3, (n, )), *torch.randint(0, 9, (2, n))), None)
class Knowledge(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.r = nn.Embedding(9, 4), nn.Embedding(3, 4)

    def forward(self, h, r, t, wrong):
        e = F.normalize(self.e.weight, 2, 1)
        good = torch.norm(e[h] + self.r(r) - e[t], 1, -1)
        bad = torch.norm(e[h] + self.r(r) - e[wrong], 1, -1)
        return good, F.margin_ranking_loss(good, bad, -torch.ones_like(good), margin=1.0)


@model(lambda n: (torch.randn(n, LENGTH, WIDTH), torch.randint(0, 2, (n, LENGTH)).float()), "head")
class LowRank(nn.Module):
    def __init__(self):
        super().__init__()
        self.base = nn.Linear(WIDTH, WIDTH)
        self.base.requires_grad_(False)
        self.a, self.b = nn.Parameter(torch.randn(2, WIDTH)), nn.Parameter(torch.zeros(WIDTH, 2))
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, x, y):
        h = self.base(x) + (x @ self.a.T @ self.b.T) * 2.0
        p = self.head(F.relu(h)).squeeze(-1)
        return p, F.soft_margin_loss(p, 2 * y - 1)


@model(lambda n: (torch.randn(n, 6), torch.randint(0, 2, (n, 4)).float()), "d")
class Spectral(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.d = nn.utils.spectral_norm(nn.Linear(6, 8)), nn.Linear(8, 4)

    def forward(self, x, y):
        z = self.d(F.leaky_relu(self.a(x), 0.2))
        return z, F.multilabel_soft_margin_loss(z, y)


@model(lambda n: (torch.randn(n, 3, 5), torch.randn(n, 3, 5), torch.tensor([[1.0, -1.0]]).repeat(n, 2)[:, :3]), None)
class Flow(nn.Module):
    """RealNVP: coupling layers with a mask, and the density of a mixture."""

    def __init__(self):
        super().__init__()
        net = lambda: nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 5))  # noqa: E731
        self.s, self.t = nn.ModuleList([net(), net()]), nn.ModuleList([net(), net()])
        mask = torch.tensor([[1.0, 0, 1, 0, 1], [0, 1.0, 0, 1, 0]])
        self.register_buffer("mask", mask)
        self.mean, self.log_scale = nn.Parameter(torch.randn(3, 5)), nn.Parameter(torch.zeros(3))

    def forward(self, x, more, sign):
        log = x.new_zeros(x.shape[:-1])
        for i in range(2):
            m = self.mask[i]
            kept = x * m
            s, t = self.s[i](kept).tanh() * (1 - m), self.t[i](kept) * (1 - m)
            x = kept + (1 - m) * (x * torch.exp(s) + t)
            log += s.sum(-1)
        far = ((x[..., None, :] - self.mean) / self.log_scale.exp()[:, None]).pow(2).sum(-1)
        prior = torch.logsumexp(-0.5 * far - 5 * self.log_scale, -1)
        near = torch.distributions.Normal(x, 1.0).log_prob(more).mean(-1)
        return x, -(prior + log + 0.1 * near * sign).mean()
