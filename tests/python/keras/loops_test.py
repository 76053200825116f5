"""Functions that strategy.run() runs: loops, feeds, training steps, and what is refused."""
import numpy
import pytest

import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

NOT_SIMULATED = NotImplementedError


def data(count=8):
    x = numpy.arange(4 * count, dtype=numpy.float32).reshape(count, 4)
    return tf.data.Dataset.from_tensor_slices((x, x[:, :2])).batch(2, drop_remainder=True).repeat()


def test_arguments_and_results_without_a_loop(strategy):
    @tf.function(jit_compile=True)
    def product(a, b):
        return tf.matmul(a, b) + 1.0, tf.reduce_mean(a)

    a, b = tf.random.uniform([3, 4]), tf.random.uniform([4, 2])
    found, mean = strategy.run(product, args=(a, b))
    numpy.testing.assert_allclose(found.numpy(), a.numpy() @ b.numpy() + 1, atol=1e-3)
    assert float(mean) == pytest.approx(a.numpy().mean(), abs=1e-3)


def test_a_function_must_be_one_of_tensorflow(strategy):
    with pytest.raises(ValueError, match="does not support eager execution"):
        strategy.run(lambda: None)
    with pytest.raises(TypeError, match="Unsupported data type for input: float64"):
        strategy.run(tf.function(lambda x: x), args=(tf.constant(1.0, tf.float64), ))


def test_feeds_and_modes_of_the_outfeed(strategy):
    everything = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    last = ipu.ipu_outfeed_queue.IPUOutfeedQueue(outfeed_mode=ipu.ipu_outfeed_queue.IPUOutfeedMode.LAST)
    with pytest.raises(ValueError, match="which has not been enqueued"):
        everything.dequeue()
    assert list(everything) == []

    @tf.function
    def loop(iterator):
        for _ in tf.range(3):
            x, y = next(iterator)
            everything.enqueue((tf.reduce_sum(x), y))
            last.enqueue(y)

    iterator = iter(data())
    strategy.run(loop, args=(iterator, ))
    strategy.run(loop, args=(iterator, ))  # goes on where the first one ended
    sums, rows = everything.dequeue()
    assert sums.numpy().tolist() == [28, 92, 156, 220, 28, 92] and rows.shape == (6, 2, 2)
    assert last.dequeue().numpy().tolist() == rows.numpy()[-1].tolist()
    with pytest.raises(RuntimeError):
        iter(last)


@pytest.mark.parametrize("scheduled", [False, True], ids=["constant", "scheduled"])
@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_a_training_loop_is_that_of_pytorch(strategy, optimizer, scheduled):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (python3-torch)")
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(4, ))])
    rate = keras.optimizers.schedules.ExponentialDecay(0.001, 1, 0.5) if scheduled else 0.001
    chosen = getattr(keras.optimizers, optimizer)(rate)
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function(experimental_compile=True)
    def steps(count, iterator):
        for _ in tf.range(count):
            x, y = next(iterator)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(keras.losses.mean_squared_error(y, model(x, training=True)))
            grads = tape.gradient(loss, model.trainable_variables)
            chosen.apply_gradients(zip(grads, model.trainable_variables))
            queue.enqueue(loss)
        return loss

    own = torch.nn.Linear(4, 2)
    kernel, bias = model.get_weights()
    own.weight.data, own.bias.data = torch.from_numpy(kernel.T.copy()), torch.from_numpy(bias)
    other = getattr(torch.optim, optimizer)(own.parameters(), lr=0.001)
    decay = torch.optim.lr_scheduler.ExponentialLR(other, 0.5 if scheduled else 1.0)
    wanted = []
    elements = iter(data())
    strategy.run(steps, args=(2, elements))
    final = strategy.run(steps, args=(2, elements))
    for x, y in (next(elements) for elements in [data().as_numpy_iterator()] * 4):
        loss = torch.nn.functional.mse_loss(own(torch.from_numpy(x)), torch.from_numpy(y))
        wanted.append(float(loss.detach()))
        other.zero_grad()
        loss.backward()
        other.step()
        decay.step()
    found = [float(loss) for loss in queue]
    numpy.testing.assert_allclose(found, wanted, rtol=2e-3)
    assert float(final) == found[-1]
    numpy.testing.assert_allclose(model.get_weights()[0], own.weight.detach().numpy().T, atol=2e-3)


def refused(strategy, body, match):
    """A loop with that body is refused by name and line."""
    iterator = iter(data())

    @tf.function
    def loop():
        body(iterator)

    with pytest.raises(NOT_SIMULATED, match=match) as error:
        strategy.run(loop)
    assert "loops_test.py:" in str(error.value)


def test_a_value_that_iterations_pass_on(strategy):
    def body(iterator):
        total = tf.constant(0.0)
        for _ in tf.range(3):
            total = total + tf.reduce_sum(next(iterator)[0])
    refused(strategy, body, "one iteration of a loop passes to the next")


def test_gradients_that_are_changed(strategy):
    model = keras.Sequential([keras.layers.Dense(2, input_shape=(4, ))])

    def body(iterator):
        for _ in tf.range(3):
            x, y = next(iterator)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(x) - y)
            grads = tape.gradient(loss, model.trainable_variables)
            keras.optimizers.SGD().apply_gradients([(2.0 * g, v) for g, v in zip(grads, model.trainable_variables)])
    refused(strategy, body, "arithmetic with a gradient")


def test_conditions_second_loops_and_assignments(strategy):
    def condition(iterator):
        for _ in tf.range(3):
            if next(iterator)[0][0, 0] > 0:
                pass

    def twice(iterator):
        for _ in tf.range(3):
            next(iterator)
        for _ in tf.range(3):
            pass

    def assignment(iterator):
        for _ in tf.range(3):
            tf.Variable(1.0).assign(2.0)

    def read(iterator):
        for _ in tf.range(3):
            next(iterator)
            next(iterator)
    refused(strategy, condition, "a condition on the value of a tensor")
    refused(strategy, twice, "a second loop")
    refused(strategy, assignment, "assign")
    refused(strategy, read, r"a second next\(\)")


def test_an_outfeed_is_enqueued_once(strategy):
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def loop(iterator):
        for _ in tf.range(2):
            queue.enqueue(next(iterator)[0])
            queue.enqueue(1.0)

    with pytest.raises(ValueError, match="An outfeed can only be enqueued once."):
        strategy.run(loop, args=(iter(data()), ))


def test_data_that_end(strategy):
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
    few = tf.data.Dataset.from_tensor_slices(numpy.ones((2, 4), numpy.float32))

    @tf.function
    def loop(iterator):
        for _ in tf.range(3):
            queue.enqueue(next(iterator))

    with pytest.raises(tf.errors.OutOfRangeError):
        strategy.run(loop, args=(iter(few), ))


def test_an_infeed_queue_in_a_repeated_body(strategy):
    infeed = ipu.ipu_infeed_queue.IPUInfeedQueue(data())
    outfeed = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def program():
        def body(x, y):
            outfeed.enqueue(tf.reduce_sum(x) + 0.0 * tf.reduce_sum(y))
        return ipu.loops.repeat(4, body, infeed_queue=infeed)

    strategy.run(program)
    assert outfeed.dequeue().numpy().tolist() == [28, 92, 156, 220]


@pytest.mark.parametrize("strategy", [2], indirect=True)
def test_replicas_are_a_dimension_of_the_outfeed(strategy):
    queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()

    @tf.function
    def loop(iterator):
        for _ in tf.range(2):
            queue.enqueue(tf.reduce_sum(next(iterator)[0]))

    strategy.run(loop, args=(iter(data()), ))
    assert queue.dequeue().numpy().tolist() == [[28, 92], [156, 220]]
