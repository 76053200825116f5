"""Dense, embedding, rescaling and functions of one's own."""
from __future__ import annotations

from typing import Any, Dict, Optional

from .. import _ops, _types, activations
from .._graph import Symbol
from .._layer import Layer, as_float, refuse_extras


class Dense(Layer):
    """A product with a matrix of weights, a bias and an activation."""
    supports_masking = True
    regularized = ("kernel", "bias")

    def __init__(self, units: int, activation: Any = None, use_bias: bool = True,
                 kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, bias_regularizer: Any = None,
                 activity_regularizer: Any = None, kernel_constraint: Any = None,
                 bias_constraint: Any = None, **kwargs: Any) -> None:
        super().__init__(kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer,
                         **kwargs)
        refuse_extras(self, activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint, bias_constraint=bias_constraint)
        self.units, self.use_bias = int(units), use_bias
        self.activation = activations.get(activation)
        self._initial = (kernel_initializer, bias_initializer)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        if input_shape[-1] is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found "
                             "`None`.")
        kernel, bias = self._initial
        self.kernel = self.add_weight("kernel", (input_shape[-1], self.units), initializer=kernel)
        if self.use_bias:
            self.bias = self.add_weight("bias", (self.units, ), initializer=bias)
        self.built = True

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        x = graph.plain(as_float(inputs))
        shape = (*x.shape[:-1], self.units)
        kernel = graph.symbol(self.kernel)
        if not self.use_bias:
            y = graph.emit("MatMul", [x, kernel], shape, x.dtype)
        elif len(shape) == 2:
            y = graph.emit("Gemm", [x, kernel, graph.symbol(self.bias)], shape, x.dtype)
        else:
            y = graph.emit("MatMul", [x, kernel], shape, x.dtype, "matmul")
            y = graph.emit("Add", [y, graph.symbol(self.bias)], shape, x.dtype)
        return activated(y, self.activation)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "units": self.units, "use_bias": self.use_bias,
                "activation": activations.name_of(self.activation)}


def activated(y: Symbol, function: Any) -> Any:
    """A layer's result after its activation."""
    if function is activations.linear:
        return y
    with y.graph.scope("activation", alone=True):
        return function(y)


class Embedding(Layer):
    """A row of weights for each whole number."""
    regularized = ("embeddings", )

    def __init__(self, input_dim: int, output_dim: int, embeddings_initializer: Any = "uniform",
                 embeddings_regularizer: Any = None, activity_regularizer: Any = None,
                 embeddings_constraint: Any = None, mask_zero: bool = False, input_length: Optional[int] = None,
                 **kwargs: Any) -> None:
        if input_length is not None and "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length, )
        super().__init__(embeddings_regularizer=embeddings_regularizer, **kwargs)
        refuse_extras(self, activity_regularizer=activity_regularizer,
                      embeddings_constraint=embeddings_constraint)
        self.mask_zero = self.supports_masking = bool(mask_zero)
        self.input_dim, self.output_dim = input_dim, output_dim
        self._initial = embeddings_initializer
        self.embeddings: Any = None

    def build(self, input_shape: Any = None) -> None:
        self.embeddings = self.add_weight("embeddings", (self.input_dim, self.output_dim),
                                          initializer=self._initial)
        self.built = True

    def compute_mask(self, inputs: Any, mask: Any) -> Any:
        from ._masks import differs
        return differs(inputs, 0) if self.mask_zero else None

    def call(self, inputs: Symbol) -> Any:
        graph = inputs.graph
        rows = inputs if not inputs.dtype.is_floating else _ops.cast(inputs, _types.int32)
        return graph.emit("Gather", [graph.symbol(self.embeddings), rows],
                          (*inputs.shape, self.output_dim), _types.float32)

    def get_config(self) -> Dict[str, Any]:
        return {**super().get_config(), "input_dim": self.input_dim, "output_dim": self.output_dim,
                "mask_zero": self.mask_zero}


class Rescaling(Layer):
    """A factor and an offset."""

    def __init__(self, scale: float, offset: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Symbol) -> Any:
        scaled = _ops.multiply(as_float(inputs), self.scale)
        return _ops.add(scaled, self.offset) if self.offset else scaled


class Lambda(Layer):
    """A function of one's own."""
    supports_masking = True

    def __init__(self, function: Any, output_shape: Any = None, arguments: Any = None,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.function, self.arguments = function, dict(arguments or {})

    def call(self, inputs: Any) -> Any:
        return self.function(inputs, **self.arguments)


class RecomputationCheckpoint(Layer):
    """Keeps its operand for the backward pass in spite of recomputation."""

    def call(self, inputs: Symbol) -> Any:
        attributes = {"__recompute_output": 0}
        return inputs.graph.emit("Identity", [inputs], inputs.shape, inputs.dtype, "",
                                 inputs.channels_first, **attributes)
