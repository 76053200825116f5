"""Each layer computes what PyTorch computes with the same weights, and trains all of them."""
import numpy
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
from torch import nn  # noqa: E402

import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402
from tensorflow.keras import layers  # noqa: E402

from trained import convolution, dense, tensor  # noqa: E402

IMAGE, SEQUENCE, VECTOR = (6, 7, 4), (5, 3), (8, )


def first(x):
    """Channels first."""
    return tensor(numpy.moveaxis(x, -1, 1))


def last(y):
    return numpy.moveaxis(y.detach().numpy(), 1, -1)


def windowed(make):
    """A layer over images from its weights."""
    return lambda x, weights: last(make(weights)(first(x)))


def function(make):
    return lambda x, weights: make(tensor(x)).detach().numpy()


def recurrent(kind, layer, both=False):
    """Kernels with their gates in PyTorch's order, which is i f c o for LSTM, r z h for GRU."""
    def gates(rows):
        if kind is not nn.GRU:
            return rows
        z, r, h = numpy.split(rows, 3)
        return numpy.concatenate([r, z, h])

    def run(x, weights):
        own = kind(x.shape[-1], 4, batch_first=True, bidirectional=both)
        for direction, suffix in enumerate(["", "_reverse"][:1 + both]):
            kernel, state, bias = weights[3 * direction:3 * direction + 3]
            two = bias if bias.ndim == 2 else numpy.stack([bias, numpy.zeros_like(bias)])
            for name, rows in (("weight_ih", kernel.T), ("weight_hh", state.T), ("bias_ih", two[0]),
                               ("bias_hh", two[1])):
                setattr(getattr(own, f"{name}_l0{suffix}"), "data", tensor(gates(rows)))
        return layer(own(tensor(x))).detach().numpy()
    return run


def depthwise(weights):
    kernel, bias = weights
    own = nn.Conv2d(4, 8, 3, groups=4)
    own.weight.data = tensor(kernel.transpose(2, 3, 0, 1).reshape(8, 1, 3, 3))
    own.bias.data = tensor(bias)
    return own


def separable(weights):
    kernel, point, bias = weights
    own = nn.Conv2d(4, 4, 3, groups=4, bias=False)
    own.weight.data = tensor(kernel.transpose(2, 3, 0, 1).reshape(4, 1, 3, 3))
    return nn.Sequential(own, convolution(point, bias))


def transposed(weights, stride=2, more=0):
    kernel, bias = weights
    own = nn.ConvTranspose2d(4, 5, kernel.shape[0], stride=stride, output_padding=more)
    own.weight.data, own.bias.data = tensor(kernel.transpose(3, 2, 0, 1)), tensor(bias)
    return own


def norm(x, weights):
    return nn.functional.layer_norm(tensor(x), (3, ), *map(tensor, weights), 1e-3).detach().numpy()


def groups(weights):
    own = nn.GroupNorm(2, 4, 1e-3)
    own.weight.data, own.bias.data = map(tensor, weights)
    return own


LAYERS = [
    ("dense", lambda: layers.Dense(3, activation="tanh"), VECTOR,
     lambda x, w: torch.tanh(dense(*w)(tensor(x))).detach().numpy()),
    ("dense of rows", lambda: layers.Dense(4), SEQUENCE, lambda x, w: dense(*w)(tensor(x)).detach().numpy()),
    ("dense without bias", lambda: layers.Dense(4, use_bias=False), VECTOR, lambda x, w: x @ w[0]),
    ("conv", lambda: layers.Conv2D(5, 3), IMAGE, windowed(lambda w: convolution(*w))),
    ("conv same", lambda: layers.Conv2D(5, (3, 2), strides=(2, 1), padding="same"), IMAGE,
     windowed(lambda w: nn.Sequential(nn.ZeroPad2d((0, 1, 0, 1)), convolution(*w, stride=(2, 1))))),
    ("conv dilated", lambda: layers.Conv2D(5, 2, dilation_rate=2), IMAGE,
     windowed(lambda w: convolution(*w, dilation=2))),
    ("depthwise", lambda: layers.DepthwiseConv2D(3, depth_multiplier=2), IMAGE, windowed(depthwise)),
    ("separable", lambda: layers.SeparableConv2D(5, 3), IMAGE, windowed(separable)),
    ("transposed", lambda: layers.Conv2DTranspose(5, 3, strides=2), IMAGE, windowed(transposed)),
    ("transposed same", lambda: layers.Conv2DTranspose(5, 3, strides=2, padding="same"), IMAGE,
     windowed(lambda w: nn.Sequential(transposed(w), nn.ZeroPad2d((0, -1, 0, -1))))),  # one less at the end
    ("transposed, far apart", lambda: layers.Conv2DTranspose(5, 3, strides=4, padding="same"), IMAGE,
     windowed(lambda w: transposed(w, 4, 1))),
    ("transposed, wide", lambda: layers.Conv2DTranspose(5, 6, strides=1, padding="same"), IMAGE,
     windowed(lambda w: nn.Sequential(transposed(w, 1), nn.ZeroPad2d((-2, -3, -2, -3))))),
    ("max pool", lambda: layers.MaxPooling2D(2), IMAGE, windowed(lambda w: nn.MaxPool2d(2))),
    ("mean pool", lambda: layers.AveragePooling2D((3, 2), strides=1), IMAGE,
     windowed(lambda w: nn.AvgPool2d((3, 2), 1))),
    ("global mean", lambda: layers.GlobalAveragePooling2D(), IMAGE, lambda x, w: x.mean((1, 2))),
    ("global max", lambda: layers.GlobalMaxPooling2D(), IMAGE, lambda x, w: x.max((1, 2))),
    ("flatten", lambda: layers.Flatten(), IMAGE, lambda x, w: x.reshape(len(x), -1)),
    ("reshape", lambda: layers.Reshape((4, 2)), VECTOR, lambda x, w: x.reshape(-1, 4, 2)),
    ("permute", lambda: layers.Permute((2, 1)), SEQUENCE, lambda x, w: x.transpose(0, 2, 1)),
    ("repeat", lambda: layers.RepeatVector(3), VECTOR, lambda x, w: x[:, None].repeat(3, 1)),
    ("zero padding", lambda: layers.ZeroPadding2D(((1, 0), (2, 1))), IMAGE,
     lambda x, w: numpy.pad(x, ((0, 0), (1, 0), (2, 1), (0, 0)))),
    ("cropping", lambda: layers.Cropping2D(1), IMAGE, lambda x, w: x[:, 1:-1, 1:-1]),
    ("upsampling", lambda: layers.UpSampling2D(2), IMAGE, lambda x, w: x.repeat(2, 1).repeat(2, 2)),
    ("softmax", lambda: layers.Softmax(), VECTOR, function(nn.Softmax(1))),
    ("leaky", lambda: layers.LeakyReLU(), VECTOR, function(nn.LeakyReLU(0.3))),
    ("elu", lambda: layers.ELU(), VECTOR, function(nn.ELU())),
    ("gelu", lambda: layers.Activation("gelu"), VECTOR, function(nn.GELU())),
    ("swish", lambda: layers.Activation("swish"), IMAGE, function(nn.SiLU())),
    ("relu with slope and bound", lambda: layers.ReLU(0.5, 0.1), VECTOR,
     lambda x, w: numpy.minimum(numpy.where(x > 0, x, 0.1 * x), 0.5)),
    ("relu above a threshold", lambda: layers.ReLU(1.0, 0.1, 0.3), VECTOR,
     lambda x, w: numpy.where(x >= 0.3, numpy.minimum(x, 1.0), 0.1 * (x - 0.3))),
    ("thresholded", lambda: layers.ThresholdedReLU(0.4), VECTOR, lambda x, w: x * (x > 0.4)),
    ("slopes", lambda: layers.PReLU(), SEQUENCE, lambda x, w: numpy.where(x > 0, x, w[0] * x)),
    ("slopes of channels", lambda: layers.PReLU(shared_axes=[1, 2]), IMAGE,
     lambda x, w: numpy.where(x > 0, x, w[0] * x)),
    ("each step", lambda: layers.TimeDistributed(layers.Dense(2, activation="relu")), SEQUENCE,
     lambda x, w: numpy.maximum(x @ w[0] + w[1], 0)),
    ("norm without scale", lambda: layers.LayerNormalization(scale=False), SEQUENCE,
     lambda x, w: norm(x, [numpy.ones(3, numpy.float32), w[0]])),
    ("relu6", lambda: layers.ReLU(6.0), VECTOR, function(nn.ReLU6())),
    ("rescaling", lambda: layers.Rescaling(2.0, 1.0), VECTOR, lambda x, w: 2 * x + 1),
    ("layer norm", lambda: layers.LayerNormalization(), SEQUENCE, norm),
    ("group norm", lambda: layers.GroupNormalization(2), IMAGE, windowed(groups)),
    ("lstm", lambda: layers.LSTM(4), SEQUENCE, recurrent(nn.LSTM, lambda y: y[0][:, -1])),
    ("lstm sequence", lambda: layers.LSTM(4, return_sequences=True), SEQUENCE, recurrent(nn.LSTM, lambda y: y[0])),
    ("lstm backwards", lambda: layers.LSTM(4, return_sequences=True, go_backwards=True), SEQUENCE,
     lambda x, w: recurrent(nn.LSTM, lambda y: y[0])(x[:, ::-1].copy(), w)),  # the last step first
    ("gru backwards", lambda: layers.GRU(4, go_backwards=True), SEQUENCE,
     lambda x, w: recurrent(nn.GRU, lambda y: y[0][:, -1])(x[:, ::-1].copy(), w)),
    ("gru", lambda: layers.GRU(4, return_sequences=True), SEQUENCE, recurrent(nn.GRU, lambda y: y[0])),
    ("rnn", lambda: layers.SimpleRNN(4), SEQUENCE, recurrent(nn.RNN, lambda y: y[0][:, -1])),
    ("both ways", lambda: layers.Bidirectional(layers.LSTM(4, return_sequences=True)), SEQUENCE,
     recurrent(nn.LSTM, lambda y: y[0], True)),
]


@pytest.mark.parametrize("make, shape, wanted", [row[1:] for row in LAYERS], ids=[row[0] for row in LAYERS])
def test_values_of_layers(strategy, random, make, shape, wanted):
    x = random.normal(size=(2, *shape)).astype(numpy.float32)
    layer = make()
    layer.build((None, *shape))
    layer.set_weights([random.normal(size=w.shape).astype(numpy.float32) for w in layer.get_weights()])
    result = layer(x)
    expected = wanted(x, layer.get_weights())
    assert tuple(result.shape) == expected.shape
    numpy.testing.assert_allclose(result.numpy(), expected, atol=2e-3, rtol=2e-3)


@pytest.mark.parametrize("make, shape", [(row[1], row[2]) for row in LAYERS], ids=[row[0] for row in LAYERS])
def test_layers_train(strategy, random, make, shape):
    inputs = keras.Input(shape)
    h = layers.Rescaling(0.5)(inputs)
    model = keras.Model(inputs, layers.Dense(1)(layers.Flatten()(make()(h))))
    before = model.get_weights()
    model.compile(keras.optimizers.SGD(0.1), "mse")
    x = random.normal(size=(8, *shape)).astype(numpy.float32)
    model.fit(x, random.normal(size=(8, 1)).astype(numpy.float32), batch_size=4, verbose=0)
    assert all(numpy.any(old != new) for old, new in zip(before, model.get_weights()))


def test_attention(strategy, random):
    x = random.normal(size=(2, *SEQUENCE)).astype(numpy.float32)
    inputs = keras.Input(SEQUENCE)
    layer = layers.MultiHeadAttention(1, 3)
    model = keras.Model(inputs, layer(inputs, inputs))
    own = nn.MultiheadAttention(3, 1, batch_first=True)
    query, key, value, out = [getattr(layer, f"{part}_kernel").numpy()
                              for part in ("query", "key", "value", "attention_output")]
    own.in_proj_weight.data = tensor(numpy.concatenate([k.reshape(3, -1).T for k in (query, key, value)]))
    own.in_proj_bias.data.zero_()
    own.out_proj.weight.data, own.out_proj.bias.data = tensor(out.reshape(-1, 3).T), torch.zeros(3)
    wanted = own(tensor(x), tensor(x), tensor(x))[0].detach().numpy()
    numpy.testing.assert_allclose(model.predict(x, batch_size=2), wanted, atol=2e-3)


def test_embedding_and_merges(strategy, random):
    words = random.integers(0, 9, (4, 6)).astype(numpy.int32)
    inputs = keras.Input((6, ), dtype="int32")
    embedding = layers.Embedding(9, 3)
    h = embedding(inputs)
    parts = [layers.Add()([h, h]), layers.Subtract()([h, 2 * h]), layers.Multiply()([h, h]),
             layers.Average()([h, 3 * h]), layers.Maximum()([h, -h]), layers.Minimum()([h, -h])]
    model = keras.Model(inputs, layers.concatenate(parts))
    rows = embedding.get_weights()[0][words]
    wanted = numpy.concatenate([2 * rows, -rows, rows**2, 2 * rows, abs(rows), -abs(rows)], -1)
    numpy.testing.assert_allclose(model.predict(words, batch_size=4), wanted, atol=1e-4)


def test_dropout_only_drops_in_training(strategy, random):
    x = numpy.ones((8, 50), numpy.float32)
    model = keras.Sequential([layers.Dropout(0.5, input_shape=(50, ))])
    assert (model.predict(x, batch_size=8) == 1).all()


def test_the_classes_are_those_of_the_importer(strategy):
    """Those that `tilescope run` says it reads."""
    import json
    import os
    import subprocess
    path = os.path.abspath("model.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"class_name": "Sequential", "config": {"name": "m", "layers": [
            {"class_name": "InputLayer", "config": {"name": "x", "batch_input_shape": [None, 4]}},
            {"class_name": "Nothing", "config": {"name": "y"}}]}}, file)
    program = os.path.join(os.environ["TILESCOPE_BIN_DIR"], "tilescope")
    if not os.path.exists(program):
        pytest.skip("the program tilescope is not built")
    said = subprocess.run([program, "run", path], capture_output=True, text=True, check=False).stderr
    classes = said[said.index("The classes are ") + 16:].split()
    classes = {name.strip(".,\n") for name in classes} - {"BatchNormalizationV1", "Functional", "Sequential"}
    missing = {name for name in classes if not hasattr(layers, name)}
    assert not missing


def test_attention_leaves_out_what_a_mask_says(strategy, random):
    x = random.normal(size=(2, *SEQUENCE)).astype(numpy.float32)
    mask = numpy.tril(numpy.ones((5, 5), bool))[None].repeat(2, 0)
    layer = layers.MultiHeadAttention(1, 3)
    result, scores = layer(x, x, attention_mask=mask, return_attention_scores=True)
    later = layer(x[:, :3], x[:, :3], attention_mask=mask[:, :3, :3])
    assert (scores.numpy()[:, 0][~mask] < 1e-6).all()
    numpy.testing.assert_allclose(result.numpy()[:, :3], later.numpy(), atol=1e-4)


@pytest.mark.parametrize("axes, normalize", [(2, False), ((2, 1), False), (1, True)])
def test_products_of_two_operands(strategy, random, axes, normalize):
    x, y = (random.normal(size=(2, 3, 3)).astype(numpy.float32) for _ in range(2))
    first, second = (axes, axes) if isinstance(axes, int) else axes
    inputs = [keras.Input((3, 3)), keras.Input((3, 3))]
    model = keras.Model(inputs, layers.Dot(axes, normalize)(inputs))
    if normalize:
        one, other = x / numpy.linalg.norm(x, axis=1, keepdims=True), y / numpy.linalg.norm(y, axis=1, keepdims=True)
    else:
        one, other = x, y
    wanted = numpy.matmul(one if first == 2 else one.transpose(0, 2, 1),
                          other.transpose(0, 2, 1) if second == 2 else other)
    numpy.testing.assert_allclose(model.predict([x, y], batch_size=2), wanted, atol=2e-3)


def test_whole_channels_are_dropped(strategy):
    x = numpy.ones((4, 6, 5, 8), numpy.float32)
    for layer, groups in ((layers.SpatialDropout2D(0.5), (1, 2)), (layers.Dropout(0.5, noise_shape=(None, 1, 1, 1)),
                                                                   (1, 2, 3))):
        made = layer(x, training=True).numpy()
        assert set(numpy.unique(made)) == {0, 2}
        assert (made.max(groups) == made.min(groups)).all()
        inputs = keras.Input((6, 5, 8))
        one = layers.DepthwiseConv2D(1, depthwise_initializer="ones", use_bias=False)
        model = keras.Model(inputs, layer(one(inputs)))
        model.compile(keras.optimizers.SGD(0.0), lambda y, p: tf.reduce_max(p, groups) - tf.reduce_min(p, groups),
                      metrics=[lambda y, p: p, lambda y, p: p * p])
        logs = list(model.fit(x, x, batch_size=4, verbose=0).history.values())
        assert logs[0] == [0] and 0 < logs[1][0] == logs[2][0] / 2


def test_noise_in_training(strategy):
    x = numpy.ones((64, 64), numpy.float32)
    added, factors = (layer(x, training=True).numpy() - 1 for layer in (layers.GaussianNoise(0.5),
                                                                        layers.GaussianDropout(0.2)))
    assert added.std() == pytest.approx(0.5, rel=0.1) and factors.std() == pytest.approx(0.5, rel=0.1)
    assert (layers.GaussianNoise(0.5)(x).numpy() == x).all()
