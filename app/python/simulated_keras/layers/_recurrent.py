"""LSTM, GRU and SimpleRNN in one direction or both: one ONNX operator each."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence

import numpy

from .. import _ops, activations
from .._graph import Graph, Packing, Symbol
from .._layer import Layer, as_float
from ._dropout import Dropout
from ._masks import Places, backwards

#: ONNX's names of activations.
_FUNCTIONS = {"tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "hard_sigmoid": "HardSigmoid",
              "softplus": "Softplus", "linear": "Affine"}
_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
#: ONNX has an LSTM's gates in the order input, output, forget, cell; Keras has output last.
_LSTM_TO_ONNX, _LSTM_TO_KERAS = (0, 3, 1, 2), (0, 2, 3, 1)


class _Recurrent(Layer):
    """Base of the three."""
    operator = "RNN"
    supports_masking = True

    def __init__(self, units: int, activation: Any = "tanh", recurrent_activation: Any = "sigmoid",
                 use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
                 recurrent_initializer: Any = "orthogonal", bias_initializer: Any = "zeros",
                 unit_forget_bias: bool = True, dropout: float = 0.0, recurrent_dropout: float = 0.0,
                 return_sequences: bool = False, return_state: bool = False,
                 go_backwards: bool = False, stateful: bool = False, time_major: bool = False,
                 unroll: bool = False, implementation: int = 2, reset_after: bool = True,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        for name, value in (("recurrent_dropout", recurrent_dropout), ("stateful", stateful),
                            ("time_major", time_major)):
            if value:
                raise TypeError(f"{type(self).__name__}: {name} is not simulated")
        self.units, self.use_bias, self.reset_after = units, use_bias, reset_after
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards = go_backwards
        self._functions = [_function_of(activation), _function_of(recurrent_activation)]
        self._initial = (kernel_initializer, recurrent_initializer, bias_initializer)
        self._opens = unit_forget_bias and self.operator == "LSTM"
        self._dropout = Dropout(dropout, name=f"{self.name}_dropout") if dropout else None

    def build(self, input_shape: Any) -> None:
        kernel, recurrent, bias = self._initial
        rows = _GATES[self.operator] * self.units
        self.kernel = self.add_weight("kernel", (input_shape[-1], rows), initializer=kernel)
        self.recurrent_kernel = self.add_weight("recurrent_kernel", (self.units, rows),
                                                initializer=recurrent)
        if self.use_bias:
            shape = (2, rows) if self._has_two_biases() else (rows, )
            self.bias = self.add_weight("bias", shape, initializer=bias)
            if self._opens:  # forget gates are open at first
                value = numpy.array(self.bias.numpy())
                value[self.units:2 * self.units] = 1
                self.bias.assign(value)
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        return mask if self.return_sequences else None

    def _has_two_biases(self) -> bool:
        return self.operator == "GRU" and self.reset_after

    def call(self, inputs: Any, mask: Any = None, training: Any = None,
             initial_state: Any = None) -> Any:
        if isinstance(inputs, (list, tuple)):  # Keras takes [x, *state], too
            inputs, *given = inputs
            initial_state = given or initial_state
        x = as_float(inputs if self._dropout is None else self._dropout(inputs, training=training))
        states = self._states_of(initial_state)
        if mask is not None:
            return self._masked(x, mask, states)
        results = _run(x, [self], self.return_sequences, self.return_state, states)
        made = [_ops.squeeze(result, -2) for result in results]
        if self.go_backwards and self.return_sequences:  # Keras has the last step first
            made[0] = backwards(made[0])
        return made[0] if len(made) == 1 else made

    def _states_of(self, given: Any) -> List[Symbol]:
        """The state to begin with; none is zeros."""
        states = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
        wanted = 2 if self.operator == "LSTM" else 1
        if states and len(states) != wanted:
            raise ValueError(f"An `initial_state` was passed that is not compatible with layer "
                             f"{self.name}: {len(states)} tensors, {wanted} are needed.")
        return states

    def _masked(self, x: Symbol, mask: Symbol, states: List[Symbol]) -> Any:
        """Steps that a mask leaves out change nothing; results repeat the last ones there."""
        if self.return_state and self.operator == "LSTM":
            raise TypeError(f"{type(self).__name__}: return_state with a mask is not simulated; the "
                            "cell's state after the last step that counts is not a result")
        y = self.masked_sequence(x, mask, states)
        last = y[:, -1]
        made = y if self.return_sequences else last
        return [made, last] if self.return_state else made

    def masked_sequence(self, x: Symbol, mask: Any, states: Sequence[Symbol] = ()) -> Symbol:
        """The result of each step in the order in which they are taken; without a mask all count."""
        if self.go_backwards:
            x, mask = backwards(x), None if mask is None else backwards(mask)
        places = None if mask is None else Places(mask)
        packed = x if places is None else places.packed(x)
        y = _run(packed, [self], True, False, states, "forward")[0]
        y = _ops.squeeze(y, -2)
        return y if places is None else places.spread(y)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "units": self.units, "use_bias": self.use_bias,
                "return_sequences": self.return_sequences, "return_state": self.return_state}


def _function_of(activation: Any) -> str:
    name = activations.name_of(activations.get(activation))
    if name not in _FUNCTIONS:
        raise TypeError(f"a recurrent layer with the activation {name} is not simulated; "
                        f"{', '.join(_FUNCTIONS)} are")
    return _FUNCTIONS[name]


def _reordered(rows: numpy.ndarray, order: Sequence[int]) -> numpy.ndarray:
    """Gates, in the first dimension, in another order."""
    gates = numpy.split(rows, len(order))
    return numpy.concatenate([gates[i] for i in order])


def _matrices(layers: List[_Recurrent], name: str) -> Packing:
    """A kernel of each direction as [directions, gates * units, features]."""
    lstm = layers[0].operator == "LSTM"

    def pack(arrays: List[numpy.ndarray]) -> numpy.ndarray:
        rows = [array.T for array in arrays]
        return numpy.stack([_reordered(r, _LSTM_TO_ONNX) if lstm else r for r in rows])

    def unpack(array: numpy.ndarray) -> List[numpy.ndarray]:
        return [(_reordered(rows, _LSTM_TO_KERAS) if lstm else rows).T for rows in array]

    return Packing(tuple(getattr(layer, name) for layer in layers), pack, unpack)


def _biases(layers: List[_Recurrent]) -> Packing:
    """ONNX has a bias for the input and one for the state; Keras mostly a single one."""
    lstm, both = layers[0].operator == "LSTM", layers[0]._has_two_biases()

    def pack(arrays: List[numpy.ndarray]) -> numpy.ndarray:
        rows = []
        for array in arrays:
            own = _reordered(array, _LSTM_TO_ONNX) if lstm else array
            zeros = numpy.zeros_like(own)
            rows.append(own.reshape(-1) if both else numpy.concatenate([own, zeros]))
        return numpy.stack(rows)

    def unpack(array: numpy.ndarray) -> List[numpy.ndarray]:
        parts = []
        for rows in array:
            first = rows[:len(rows) // 2]
            own = rows.reshape(2, -1) if both else first
            parts.append(_reordered(own, _LSTM_TO_KERAS) if lstm else own)
        return parts

    return Packing(tuple(layer.bias for layer in layers), pack, unpack)


def _attributes(layers: List[_Recurrent], direction: str) -> Dict[str, Any]:
    layer = layers[0]
    inner, gate = layer._functions
    each = {"LSTM": [gate, inner, inner], "GRU": [gate, inner], "RNN": [inner]}[layer.operator]
    attributes: Dict[str, Any] = {"hidden_size": layer.units, "activations": each * len(layers),
                                  "direction": direction}
    if layer.operator == "GRU":
        attributes["linear_before_reset"] = int(layer.reset_after)
    if not layer._has_two_biases():
        attributes["__single_bias"] = 1
    return attributes


def _run(x: Symbol, layers: List[_Recurrent], sequences: bool, states: bool,
         initial: Sequence[Symbol] = (), direction: str = "") -> List[Symbol]:
    """[batch, steps, directions, units], or [batch, directions, units] of the last step; then the
    final states, if wanted. `direction` is that of the layer unless it is given."""
    graph: Graph = x.graph
    x = graph.plain(x)
    if len(x.shape) != 3:
        raise ValueError(f"Input 0 of layer {layers[0].name} is incompatible with the layer: expected "
                         f"ndim=3, found ndim={len(x.shape)}.")
    batch, steps, features = x.shape
    layer, count = layers[0], len(layers)
    rows = _GATES[layer.operator] * layer.units
    timed = graph.emit("Transpose", [x], (steps, batch, features), x.dtype, "steps", perm=[1, 0, 2])
    operands = [timed, graph.weight(_matrices(layers, "kernel"), (count, rows, features)),
                graph.weight(_matrices(layers, "recurrent_kernel"), (count, rows, layer.units))]
    if layer.use_bias:
        operands.append(graph.weight(_biases(layers), (count, 2 * rows)))
    names = [operand.value for operand in operands]
    if initial:
        names += [""] * (5 - len(names))  # without a bias, and without lengths of sequences
        names += [_ops.expand_dims(as_float(state), 0).value for state in initial]
    direction = direction or ("bidirectional" if count == 2 else
                              "reverse" if layer.go_backwards else "forward")
    made = graph.emit_all(layer.operator, names, 3 if layer.operator == "LSTM" else 2, "recurrence",
                          **_attributes(layers, direction))

    def state(value: str, part: str) -> Symbol:
        return graph.emit("Transpose", [value], (batch, count, layer.units), x.dtype, part,
                          perm=[1, 0, 2])

    if sequences:
        results = [graph.emit("Transpose", [made[0]], (batch, steps, count, layer.units), x.dtype,
                              "sequence", perm=[2, 0, 1, 3])]
    else:
        results = [state(made[1], "last")]
    if states:
        results += [state(value, f"state{number}") for number, value in enumerate(made[1:])]
    return results


class LSTM(_Recurrent):
    """Long short-term memory."""
    operator = "LSTM"


class GRU(_Recurrent):
    """Gated recurrent units."""
    operator = "GRU"


class SimpleRNN(_Recurrent):
    """Its result is its state."""


PopnnLSTM = CuDNNLSTM = LSTM
PopnnGRU = CuDNNGRU = GRU


class Bidirectional(Layer):
    """A recurrent layer in both directions."""
    supports_masking = True

    def __init__(self, layer: _Recurrent, merge_mode: Any = "concat", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(layer, _Recurrent) or layer.return_state or layer.go_backwards:
            raise TypeError("Bidirectional: only LSTM, GRU and SimpleRNN without return_state and "
                            "go_backwards are simulated")
        if merge_mode not in ("concat", "sum", "mul", "ave"):
            raise TypeError(f"Bidirectional: merge_mode {merge_mode} is not simulated")
        self.forward_layer, self.merge_mode = layer, merge_mode
        self.backward_layer = _copy_of(layer)

    def build(self, input_shape: Any) -> None:
        for layer in (self.forward_layer, self.backward_layer):
            layer.build(input_shape)
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        return mask if self.forward_layer.return_sequences else None

    def call(self, inputs: Symbol, mask: Any = None, training: Any = None) -> Any:
        layers = [self.forward_layer, self.backward_layer]
        sequences = self.forward_layer.return_sequences
        if mask is None and layers[0]._dropout is None:
            y = _run(as_float(inputs), layers, sequences, False)[0]
        else:
            y = self._one_by_one(inputs, mask, training)
        if self.merge_mode == "concat":
            return _ops.reshape(y, (*y.shape[:-2], 2 * y.shape[-1]))
        if self.merge_mode == "mul":
            return _ops.multiply(y[..., 0, :], y[..., 1, :])
        return (_ops.reduce_sum if self.merge_mode == "sum" else _ops.reduce_mean)(y, -2)

    def _one_by_one(self, inputs: Symbol, mask: Any, training: Any) -> Symbol:
        """Both directions, each with what it leaves out, in a dimension before the units."""
        made = []
        for number, layer in enumerate([self.forward_layer, self.backward_layer]):
            x = inputs if layer._dropout is None else layer._dropout(inputs, training=training)
            x, own = as_float(x), mask
            if number:
                x, own = backwards(x), None if mask is None else backwards(mask)
            y = layer.masked_sequence(x, own)
            if not layer.return_sequences:
                y = y[:, -1]
            made.append(_ops.expand_dims(backwards(y) if number and layer.return_sequences else y, -2))
        return _ops.concat(made, -2)


def _copy_of(layer: _Recurrent) -> _Recurrent:
    rate = 0.0 if layer._dropout is None else layer._dropout.rate
    copied = type(layer)(layer.units, name=f"backward_{layer.name}", use_bias=layer.use_bias, dropout=rate,
                         return_sequences=layer.return_sequences, reset_after=layer.reset_after)
    copied._functions, copied._initial = layer._functions, layer._initial
    copied._opens = layer._opens
    return copied
