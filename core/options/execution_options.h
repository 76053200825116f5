// How several IPUs share a model.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"

namespace tilescope {

enum class Execution { Single, Sharded, Pipelined, Phased };
enum class Schedule { PopArt, Grouped, Interleaved, Sequential };
template <>
inline constexpr auto enumNames<Schedule> =
    std::to_array<std::string_view>({"popart", "grouped", "interleaved", "sequential"});
enum class PhaseSchedule { Interleaving, Batch };

struct ExecutionOptions {
    Execution scheme = Execution::Single;
    Schedule schedule = Schedule::PopArt; ///< of a pipeline
    std::vector<std::string> split;       ///< first operation or scope of each further stage
    /// IPU of each stage (TensorFlow device_mapping); empty: stage i runs on IPU i.
    std::vector<std::int32_t> deviceMapping;
    std::int32_t phases = 0; ///< of the forward pass, phased execution; 0: as the model is split
    /// Groups of IPUs that take turns: 1 or 2; 0: as many as possible.
    std::int32_t phaseStages = 0;
    /// Order of loads, optimizer and stores within a phase (PopART ExecutionPhaseSchedule).
    PhaseSchedule phaseSchedule = PhaseSchedule::Interleaving;

    [[nodiscard]] bool isPipelined() const { return scheme == Execution::Pipelined; }
    [[nodiscard]] bool isPhased() const { return scheme == Execution::Phased; }
    /// PopART's default: ping-pong between two groups if there are two or more IPUs.
    [[nodiscard]] std::int32_t phaseStagesInForce(std::int32_t ipus) const {
        return phaseStages > 0 ? phaseStages : ipus > 1 ? 2 : 1;
    }
    friend bool operator==(const ExecutionOptions&, const ExecutionOptions&) = default;
};

} // namespace tilescope
