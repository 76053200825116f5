"""Masks: steps that do not count are left out by recurrent layers, means, losses and metrics."""
import numpy
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")

import tensorflow as tf  # noqa: E402
from tensorflow import keras  # noqa: E402
from tensorflow.keras import layers  # noqa: E402

WORDS = numpy.array([[3, 1, 0, 0, 0], [0, 2, 0, 4, 1], [0, 0, 0, 0, 0], [5, 4, 3, 2, 1]], numpy.int32)


def steps(layer, x, mask):
    """Keras' rule step by step: where the mask says no, state and result stay as they were."""
    kernel, recurrent, bias = layer.get_weights()
    h = c = numpy.zeros((len(x), layer.units), numpy.float32)
    y, made = numpy.zeros_like(h), []
    for t in range(x.shape[1])[::-1 if layer.go_backwards else 1]:
        new_h, new_c = cell(layer, x[:, t] @ kernel, h, c, recurrent, bias)
        kept = mask[:, t, None]
        h, c, y = numpy.where(kept, new_h, h), numpy.where(kept, new_c, c), numpy.where(kept, new_h, y)
        made.append(y)
    return numpy.stack(made, 1) if layer.return_sequences else y


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def cell(layer, x, h, c, recurrent, bias):
    if isinstance(layer, layers.SimpleRNN):
        return numpy.tanh(x + h @ recurrent + bias), c
    if isinstance(layer, layers.LSTM):
        i, f, g, o = numpy.split(x + h @ recurrent + bias, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
        return sigmoid(o) * numpy.tanh(c), c
    one, other = numpy.split(x + bias[0], 3, 1), numpy.split(h @ recurrent + bias[1], 3, 1)
    z, r = (sigmoid(a + b) for a, b in zip(one[:2], other[:2]))
    return z * h + (1 - z) * numpy.tanh(one[2] + r * other[2]), c


def predicted(random, layer):
    """What a model with a masked embedding predicts, its rows of the embedding, and the mask."""
    embedding = layers.Embedding(6, 3, mask_zero=True)
    inputs = keras.Input((5, ), dtype="int32")
    model = keras.Model(inputs, layer(embedding(inputs)))
    model.set_weights([random.normal(size=w.shape).astype(numpy.float32) for w in model.get_weights()])
    return model.predict(WORDS, batch_size=4), embedding.get_weights()[0][WORDS], WORDS != 0


@pytest.mark.parametrize("kind", [layers.LSTM, layers.GRU, layers.SimpleRNN])
@pytest.mark.parametrize("sequences, backwards", [(False, False), (True, False), (True, True)])
def test_recurrent_layers(strategy, random, kind, sequences, backwards):
    layer = kind(4, return_sequences=sequences, go_backwards=backwards)
    found, x, mask = predicted(random, layer)
    numpy.testing.assert_allclose(found, steps(layer, x, mask), atol=1e-3)


@pytest.mark.parametrize("sequences", [False, True])
def test_both_directions(strategy, random, sequences):
    layer = layers.Bidirectional(layers.LSTM(2, return_sequences=sequences))
    found, x, mask = predicted(random, layer)
    layer.backward_layer.go_backwards = True
    one, other = steps(layer.forward_layer, x, mask), steps(layer.backward_layer, x, mask)
    wanted = numpy.concatenate([one, other[:, ::-1] if sequences else other], -1)
    numpy.testing.assert_allclose(found, wanted, atol=1e-3)


def test_a_mean_over_steps_that_count(strategy, random):
    masking = layers.Masking(-1.0)
    x = random.normal(size=(2, 4, 3)).astype(numpy.float32)
    x[0, 2:], x[1, 1], x[1, 0, 1] = -1, -1, -1
    inputs = keras.Input((4, 3))
    model = keras.Model(inputs, layers.GlobalAveragePooling1D()(layers.Dropout(0.5)(masking(inputs))))
    wanted = [x[0, :2].mean(0), x[1, [0, 2, 3]].mean(0)]
    numpy.testing.assert_allclose(model.predict(x, batch_size=2), wanted, atol=1e-4)


def test_losses_and_metrics_leave_steps_out(strategy, random):
    """The sum over steps that count is divided by all of them; metrics are means of those that count."""
    model = keras.Sequential([layers.Embedding(6, 3, mask_zero=True, input_length=5), layers.Dense(4)])
    weights = [random.normal(size=w.shape).astype(numpy.float32) for w in model.get_weights()]
    model.set_weights(weights)
    labels = random.integers(0, 4, WORDS.shape).astype(numpy.int32)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.5), loss, metrics=["accuracy"])
    history = model.fit(WORDS, labels, batch_size=4, shuffle=False, verbose=0).history
    own = [torch.tensor(w, requires_grad=True) for w in weights]
    scores = own[0][torch.tensor(WORDS).long()] @ own[1] + own[2]
    each = torch.nn.functional.cross_entropy(scores.reshape(-1, 4), torch.tensor(labels).long().reshape(-1),
                                             reduction="none")
    kept = torch.tensor(WORDS != 0).reshape(-1)
    wanted = (each * kept).sum() / kept.numel()
    wanted.backward()
    assert history["loss"][0] == pytest.approx(float(wanted), rel=2e-3)
    right = (scores.argmax(-1).numpy() == labels)[WORDS != 0].mean()
    assert history["accuracy"][0] == pytest.approx(right, abs=1e-6)
    for found, before in zip(model.get_weights(), own):
        numpy.testing.assert_allclose(found, (before - 0.5 * before.grad).detach(), atol=1e-4)


def test_layers_of_ones_own(strategy, random):
    class Sums(layers.Layer):
        def call(self, inputs, mask=None):
            return tf.reduce_sum(inputs * tf.cast(mask, tf.float32)[..., None], 1)

        def compute_mask(self, inputs, mask=None):
            return None

    found, x, mask = predicted(random, Sums())
    numpy.testing.assert_allclose(found, (x * mask[..., None]).sum(1), atol=1e-4)


def test_the_state_of_a_cell_is_refused_with_a_mask(strategy):
    embedded = layers.Embedding(6, 3, mask_zero=True)(keras.Input((5, ), dtype="int32"))
    with pytest.raises(TypeError, match="return_state with a mask is not simulated"):
        model = keras.Sequential([layers.Embedding(6, 3, mask_zero=True), layers.LSTM(2, return_state=True)])
        model(WORDS)
    assert embedded.shape[-1] == 3


def test_a_state_to_begin_with(strategy, random):
    x, h, c = (random.normal(size=shape).astype(numpy.float32) for shape in ((2, 3, 3), (2, 4), (2, 4)))
    layer = layers.LSTM(4, return_sequences=True, return_state=True)
    ends = layer(x, initial_state=[h, c])
    kernel, recurrent, bias = layer.get_weights()
    for t in range(3):
        h, c = cell(layer, x[:, t] @ kernel, h, c, recurrent, bias)
    for found, wanted in zip(ends, (h, h, c)):
        found = found.numpy()
        numpy.testing.assert_allclose(found[:, -1] if found.ndim == 3 else found, wanted, atol=1e-3)
