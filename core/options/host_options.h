// How the host feeds the machine and what it receives back.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/enum_names.h"

namespace tilescope {

/// How transfers with the host on I/O tiles overlap computation (PopART ExchangeStrategy).
enum class ExchangeStrategy { JustInTime, OverlapInnerLoop, OverlapLoops };
/// Element type in which the host sends a model's floating-point inputs.
enum class InputType { AsModel, Float, Half, Int8 };
/// What calls the engine: PopRT serves models for inference, compiled by PopART; Poplar means a
/// program written by the user.
enum class Framework { Popart, Poprt, Poptorch, Tensorflow, Keras, Poplar };
template <>
inline constexpr auto enumNames<Framework> = std::to_array<std::string_view>(
    {"popart", "poprt", "poptorch", "tensorflow", "keras", "poplar"});
/// Results that a call returns to the host (PopTorch's OutputMode, PopART's AnchorReturnType).
enum class OutputMode { All, Final, EveryN, Sum };

struct HostOptions {
    ExchangeStrategy exchangeStrategy = ExchangeStrategy::JustInTime;
    std::int32_t prefetchDepth = 1; ///< the most batches that the host prepares ahead
    InputType inputType = InputType::AsModel;
    /// No host streams: inputs, weights and results stay on the device (PopART's synthetic data).
    bool ignoreData = false;
    double hostRate = 0; ///< samples a second that one host instance prepares; 0: any number
    /// Extra time of one late micro-batch in eight, as a multiple of the mean; see host_model.h.
    double hostJitter = 0;
    std::int32_t instances = 1; ///< processes of the host, which share the replicas (PopDist)
    Framework framework = Framework::Popart; ///< whose host overhead each call has
    OutputMode outputMode = OutputMode::All;
    std::int64_t outputEvery = 0; ///< batches between two that are returned, with EveryN

    [[nodiscard]] bool overlaps() const { return exchangeStrategy != ExchangeStrategy::JustInTime; }
    friend bool operator==(const HostOptions&, const HostOptions&) = default;
};

} // namespace tilescope
