"""Attention of several heads."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from .. import _ops, _types
from .._graph import Packing, Symbol
from .._layer import Layer, as_float
from ._dropout import Dropout

_LEFT_OUT = 1e9  #: taken from scores of places that a mask leaves out, as Keras' Softmax does


class MultiHeadAttention(Layer):
    """Products of queries and keys weigh values."""

    def __init__(self, num_heads: int, key_dim: int, value_dim: Optional[int] = None,
                 dropout: float = 0.0, use_bias: bool = True, output_shape: Any = None,
                 kernel_initializer: Any = "glorot_uniform", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.heads, self.key_dim, self.value_dim = num_heads, key_dim, value_dim or key_dim
        self.use_bias, self._width, self._initial = use_bias, output_shape, kernel_initializer
        self._dropout = Dropout(dropout, name="dropout") if dropout else None

    def build(self, input_shape: Any) -> None:
        """The widths of key and value are only known at the call, see :meth:`_parameters`."""
        self.built = True

    def _parameters(self, part: str, kernel: Sequence[int], bias: Sequence[int]) -> Any:
        if not hasattr(self, f"{part}_kernel"):
            setattr(self, f"{part}_kernel", self.add_weight(f"{part}/kernel", kernel,
                                                            initializer=self._initial))
            if self.use_bias:
                setattr(self, f"{part}_bias", self.add_weight(f"{part}/bias", bias,
                                                              initializer="zeros"))
        return getattr(self, f"{part}_kernel"), getattr(self, f"{part}_bias", None)

    def _product(self, part: str, x: Symbol, kernel: Any, bias: Any, width: int) -> Symbol:
        """Heads are dimensions of their own in Keras' weights, and columns on the machine."""
        graph, shape = x.graph, kernel.shape
        packing = Packing((kernel, ), lambda a: a[0].reshape(x.shape[-1], width),
                          lambda a: [a.reshape(shape)])
        y = _ops.matmul(x, graph.weight(packing, (x.shape[-1], width)))
        if bias is None:
            return y
        sizes = bias.shape
        flat = Packing((bias, ), lambda a: a[0].reshape(width), lambda a: [a.reshape(sizes)])
        return _ops.add(y, graph.weight(flat, (width, )))

    def _heads_of(self, part: str, x: Symbol, size: int) -> Symbol:
        kernel, bias = self._parameters(part, (x.shape[-1], self.heads, size), (self.heads, size))
        with x.graph.scope(part):
            y = self._product(part, x, kernel, bias, self.heads * size)
            y = _ops.reshape(y, (*y.shape[:-1], self.heads, size))
            return _ops.transpose(y, (0, 2, 1, 3))

    def call(self, query: Symbol, value: Any = None, key: Any = None, attention_mask: Any = None,
             return_attention_scores: bool = False, training: Optional[bool] = None) -> Any:
        query = query.graph.plain(as_float(query))
        value = query if value is None else value
        key = value if key is None else key
        q = self._heads_of("query", query, self.key_dim)
        k = self._heads_of("key", key, self.key_dim)
        v = self._heads_of("value", value, self.value_dim)
        scores = _ops.multiply(_ops.matmul(q, k, transpose_b=True), self.key_dim**-0.5)
        if attention_mask is not None:  # [..., queries, keys], the same for all heads
            left_out = _ops.subtract(1.0, _ops.cast(attention_mask, _types.float32))
            left_out = left_out if len(left_out.shape) != 3 else _ops.expand_dims(left_out, 1)
            scores = _ops.subtract(scores, _ops.multiply(left_out, _LEFT_OUT))
        weights = scores = _ops.softmax(scores)
        if self._dropout is not None:
            weights = self._dropout(scores, training=training)
        context = _ops.transpose(_ops.matmul(weights, v), (0, 2, 1, 3))
        joined = _ops.reshape(context, (*context.shape[:2], self.heads * self.value_dim))
        width = self._width if isinstance(self._width, int) else query.shape[-1]
        kernel, bias = self._parameters("attention_output", (self.heads, self.value_dim, width),
                                        (width, ))
        y = self._product("attention_output", joined, kernel, bias, width)
        return (y, scores) if return_attention_scores else y
