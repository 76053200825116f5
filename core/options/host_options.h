// How the host feeds the machine and what it takes back.
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
/// What calls the engine: Poplar is a program of the user's own.
enum class Framework { Popart, Poptorch, Tensorflow, Keras, Poplar };
template <>
inline constexpr auto enumNames<Framework> =
    std::to_array<std::string_view>({"popart", "poptorch", "tensorflow", "keras", "poplar"});
/// Results that a call returns to the host (PopTorch's OutputMode, PopART's AnchorReturnType).
enum class OutputMode { All, Final, EveryN, Sum };

struct HostOptions {
    ExchangeStrategy exchangeStrategy = ExchangeStrategy::JustInTime;
    std::int32_t prefetchDepth = 1; ///< batches that the host has ready at most
    InputType inputType = InputType::AsModel;
    /// No host streams: inputs, weights and results stay on the device (PopART's synthetic data).
    bool ignoreData = false;
    double hostRate = 0; ///< samples a second that one host instance prepares; 0: any number
    /// By how much of the mean time one in eight micro-batches is late; see host_model.h.
    double hostJitter = 0;
    std::int32_t instances = 1; ///< processes of the host, which share the replicas (PopDist)
    Framework framework = Framework::Popart; ///< whose work on the host each call has
    OutputMode outputMode = OutputMode::All;
    std::int64_t outputEvery = 0; ///< batches between two that are returned, with EveryN

    [[nodiscard]] bool overlaps() const { return exchangeStrategy != ExchangeStrategy::JustInTime; }
    friend bool operator==(const HostOptions&, const HostOptions&) = default;
};

} // namespace tilescope
