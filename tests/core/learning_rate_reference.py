#!/usr/bin/env python3
"""Learning rates of PyTorch's schedulers: makes learning_rate_reference.h (format it afterwards)."""
import sys
import warnings

import torch
from torch.optim import lr_scheduler as s

UPDATES = 20
warnings.simplefilter("ignore")


def after_warmup(warmup, make):
    def both(optimizer):
        rising = s.LinearLR(optimizer, 1 / warmup, 1, warmup - 1)
        return s.SequentialLR(optimizer, [rising, make(optimizer)], [warmup])
    return both


SCHEDULES = {
    "constant": lambda o: s.ConstantLR(o, 1),
    "step:6:0.5": lambda o: s.StepLR(o, 6, 0.5),
    "cosine": lambda o: s.CosineAnnealingLR(o, UPDATES),
    "linear": lambda o: s.LinearLR(o, 1, 0, UPDATES),
    "warmup:5": lambda o: s.LinearLR(o, 1 / 5, 1, 4),
    "warmup:5,step:4:0.1": after_warmup(5, lambda o: s.StepLR(o, 4, 0.1)),
    "warmup:4,cosine": after_warmup(4, lambda o: s.CosineAnnealingLR(o, UPDATES - 4)),
    "warmup:4,linear": after_warmup(4, lambda o: s.LinearLR(o, 1, 0, UPDATES - 4)),
}


def rates(make):
    optimizer = torch.optim.SGD([torch.zeros(1)], 1.0)
    schedule = make(optimizer)
    list_ = []
    for _ in range(UPDATES):
        list_.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return list_


def main():
    print("// Made by learning_rate_reference.py: rates of 20 updates.")
    print("#pragma once\n")
    print("#include <map>\n#include <string>\n#include <vector>\n")
    print("namespace tilescope::test {\n")
    print("inline const std::map<std::string, std::vector<double>>& learningRateReference() {")
    print("    static const std::map<std::string, std::vector<double>> all{")
    for name, make in SCHEDULES.items():
        print(f'        {{"{name}", {{{", ".join(f"{r:.9g}" for r in rates(make))}}}}},')
    print("    };\n    return all;\n}\n\n} // namespace tilescope::test")


if __name__ == "__main__":
    sys.exit(main())
