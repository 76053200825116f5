// Attributes of nodes that importers use among themselves; names of this form are not in models.
#pragma once

namespace tilescope::sim {

/// Of LSTM, GRU and RNN: the bias of the state stays zero, as the layer has one bias. ONNX adds
/// two, and both would be trained.
inline constexpr const char* singleBiasAttribute = "__single_bias";

/// Of a Flatten: how many dimensions an image with its channels first has. Keras has them last,
/// which matters to the rows of a kernel that comes from Keras.
inline constexpr const char* channelsFirstAttribute = "__channels_first";

/// Of a BatchNormalization: its running variance is that of a sample (n - 1 of n values).
inline constexpr const char* unbiasedVarianceAttribute = "__unbiased_variance";

/// Of a BatchNormalization in a training step: it normalises with the running statistics and leaves
/// them as they are.
inline constexpr const char* frozenStatisticsAttribute = "__frozen_statistics";

/// Of a Clip: a gradient passes where the operand is one of the bounds, as in PyTorch's clamp().
inline constexpr const char* slopesAtEndsAttribute = "__slopes_at_ends";

/// Of a Log: its least result, as PyTorch's binary cross-entropy has one.
inline constexpr const char* leastResultAttribute = "__least_result";

} // namespace tilescope::sim
