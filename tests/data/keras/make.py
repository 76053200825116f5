#!/usr/bin/env python3
"""Two Keras models with weights, an input and what they answer, by PyTorch's layers.

The names and shapes of the weights are those of tf.keras 2.12 (w.name of model.weights).
"""
import json
import pathlib

import numpy as np
import torch
import torch.nn.functional as F

FOLDER = pathlib.Path(__file__).parent
GENERATOR = np.random.default_rng(7)


def numbers(*shape, low=-0.5):
    return GENERATOR.uniform(low, low + 1, shape).astype(np.float32)


def tensor(array):
    return torch.from_numpy(np.ascontiguousarray(array)).double()


def save(name, layers, weights, given, answer):
    model = {"class_name": "Sequential", "config": {"name": name, "layers": [
        {"class_name": kind, "config": config} for kind, config in layers]},
             "keras_version": "2.12.0", "backend": "tensorflow"}
    (FOLDER / f"{name}.json").write_text(json.dumps(model, indent=1) + "\n")
    np.savez(FOLDER / f"{name}.weights.npz", **weights)
    np.save(FOLDER / f"{name}_input.npy", given)
    np.save(FOLDER / f"{name}_output.npy", answer.detach().numpy().astype(np.float32))


def images():
    w = {
        "conv/kernel:0": numbers(3, 2, 2, 3), "conv/bias:0": numbers(3),
        "deep/depthwise_kernel:0": numbers(3, 3, 3, 2), "deep/bias:0": numbers(6),
        "up/kernel:0": numbers(2, 2, 4, 6), "up/bias:0": numbers(4),
        "norm/gamma:0": numbers(4, low=0.5), "norm/beta:0": numbers(4),
        "norm/moving_mean:0": numbers(4), "norm/moving_variance:0": numbers(4, low=0.5),
        "dense/kernel:0": numbers(8 * 8 * 4, 5), "dense/bias:0": numbers(5),
    }
    layers = [
        ("InputLayer", {"batch_input_shape": [None, 6, 7, 2], "dtype": "float32", "name": "in"}),
        ("Conv2D", {"name": "conv", "filters": 3, "kernel_size": [3, 2], "padding": "valid",
                    "strides": [1, 1], "activation": "relu"}),
        ("DepthwiseConv2D", {"name": "deep", "kernel_size": [3, 3], "depth_multiplier": 2,
                             "padding": "same"}),
        ("Cropping2D", {"name": "crop", "cropping": [[0, 0], [1, 1]]}),
        ("Conv2DTranspose", {"name": "up", "filters": 4, "kernel_size": [2, 2],
                             "strides": [2, 2], "padding": "valid"}),
        ("BatchNormalization", {"name": "norm", "axis": [3], "epsilon": 0.001}),
        ("Flatten", {"name": "flat"}),
        ("Dense", {"name": "dense", "units": 5, "activation": "softmax"}),
    ]
    x = numbers(1, 2, 6, 7)
    t = {name.split(":")[0]: tensor(value) for name, value in w.items()}
    y = torch.relu(F.conv2d(tensor(x), t["conv/kernel"].permute(3, 2, 0, 1), t["conv/bias"]))
    y = F.conv2d(y, t["deep/depthwise_kernel"].permute(2, 3, 0, 1).reshape(6, 1, 3, 3),
                 t["deep/bias"], padding=1, groups=3)[:, :, :, 1:-1]
    y = F.conv_transpose2d(y, t["up/kernel"].permute(3, 2, 0, 1), t["up/bias"], stride=2)
    y = F.batch_norm(y, t["norm/moving_mean"], t["norm/moving_variance"], t["norm/gamma"],
                     t["norm/beta"], eps=1e-3)
    y = y.permute(0, 2, 3, 1).flatten(1) @ t["dense/kernel"] + t["dense/bias"]
    save("images", layers, w, x, torch.softmax(y, -1))


def given_to(module, values):
    for name, value in values.items():
        getattr(module, name).data = tensor(value)


def reset_first(kernel, units):
    """PyTorch has the gates r, z, n where Keras has z, r, h."""
    z, r, h = np.split(kernel, 3, -1)
    return np.concatenate([r, z, h], -1)


def sequences():
    w = {
        "lstm/lstm_cell/kernel:0": numbers(3, 16),
        "lstm/lstm_cell/recurrent_kernel:0": numbers(4, 16), "lstm/lstm_cell/bias:0": numbers(16),
        "simple_rnn/simple_rnn_cell_3/kernel:0": numbers(6, 2),
        "simple_rnn/simple_rnn_cell_3/recurrent_kernel:0": numbers(2, 2),
        "simple_rnn/simple_rnn_cell_3/bias:0": numbers(2),
    }
    for number, way in ((1, "forward"), (2, "backward")):
        cell = f"bidirectional/{way}_gru/gru_cell_{number}/"
        w.update({cell + "kernel:0": numbers(4, 9), cell + "recurrent_kernel:0": numbers(3, 9),
                  cell + "bias:0": numbers(2, 9)})
    gru = {"class_name": "GRU", "config": {"name": "gru", "units": 3, "return_sequences": True,
                                           "reset_after": True}}
    layers = [
        ("InputLayer", {"batch_input_shape": [None, 5, 3], "dtype": "float32", "name": "in"}),
        ("LSTM", {"name": "lstm", "units": 4, "return_sequences": True}),
        ("Bidirectional", {"name": "bidirectional", "merge_mode": "concat", "layer": gru}),
        ("SimpleRNN", {"name": "simple_rnn", "units": 2}),
    ]
    x = numbers(1, 5, 3)
    lstm = torch.nn.LSTM(3, 4, batch_first=True).double()
    given_to(lstm, {"weight_ih_l0": w["lstm/lstm_cell/kernel:0"].T,
                    "weight_hh_l0": w["lstm/lstm_cell/recurrent_kernel:0"].T,
                    "bias_ih_l0": w["lstm/lstm_cell/bias:0"], "bias_hh_l0": np.zeros(16)})
    both = torch.nn.GRU(4, 3, batch_first=True, bidirectional=True).double()
    for way, suffix in (("forward_gru/gru_cell_1", ""), ("backward_gru/gru_cell_2", "_reverse")):
        part = {p: reset_first(w[f"bidirectional/{way}/{p}:0"], 3)
                for p in ("kernel", "recurrent_kernel", "bias")}
        given_to(both, {"weight_ih_l0" + suffix: part["kernel"].T,
                        "weight_hh_l0" + suffix: part["recurrent_kernel"].T,
                        "bias_ih_l0" + suffix: part["bias"][0],
                        "bias_hh_l0" + suffix: part["bias"][1]})
    rnn = torch.nn.RNN(6, 2, batch_first=True).double()
    given_to(rnn, {"weight_ih_l0": w["simple_rnn/simple_rnn_cell_3/kernel:0"].T,
                   "weight_hh_l0": w["simple_rnn/simple_rnn_cell_3/recurrent_kernel:0"].T,
                   "bias_ih_l0": w["simple_rnn/simple_rnn_cell_3/bias:0"],
                   "bias_hh_l0": np.zeros(2)})
    y = lstm(tensor(x))[0]
    y = both(y)[0]
    save("sequences", layers, w, x, rnn(y)[0][:, -1])


if __name__ == "__main__":
    images()
    sequences()
