// Samples and statistics in a profile of the values that a model computes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/options/batch_options.h"
#include "core/options/compute_options.h"
#include "core/profile/profile.h"
#include "simulator/compute/machine.h"
#include "simulator/values/statistics.h"

namespace tilescope::sim {

/// Values of a run, with names of the operations for which a profile has ids.
struct RunValues {
    ProfileValues values;
    std::vector<std::string> operations; ///< of each tensor
};

/// Gives them to the profile of the same run.
void addValues(Profile& profile, RunValues run);

/// Iterations to sample, counted from one: at most `samples` of `iterations`, evenly spread,
/// including the first and the last.
std::vector<std::int64_t> sampledIterations(std::int64_t iterations, std::int64_t samples);

/// Samples tensors of the first replica while a graph is computed, according to
/// ComputeOptions::values and valueSamples. Left out are tensors of whole numbers, single numbers,
/// results of operations that only rename or move elements, and intermediate results of an
/// optimizer.
class ValueRecorder {
public:
    /// `prepared` must outlive it. `iterations`: of the whole run, all calls of the host; none if
    /// unknown: then every iteration is sampled, every second one once there are more than
    /// ComputeOptions::valueSamples, and so on.
    ValueRecorder(const Graph& prepared, const BatchOptions& batch, const ComputeOptions& options,
                  std::optional<std::int64_t> iterations);

    /// Sets port.record for the next call of the host, or clears it where there is nothing to
    /// sample.
    void beginCall(HostPort& port);
    void endCall() { before_ += batch_.deviceIterations; }
    /// The weights of a model that is not trained.
    void seeWeights(const Machine& machine);
    void add(const CurvePoint& point);
    void add(const EpochPoint& point);
    /// All of it; to be called once.
    RunValues take();

private:
    /// A tensor at a place, identified by its graph and the calls around it.
    struct Key {
        const Op* op;
        std::size_t result;
        std::vector<const Op*> calls;
        friend auto operator<=>(const Key&, const Key&) = default;
    };
    /// The record of a tensor. `alive`: for each element of a sample whether it was ever non-zero,
    /// if requested.
    struct Seen {
        ValueTensor tensor;
        std::string operation;
        std::int64_t iteration = 0; ///< that `statistics` are of
        std::optional<ElementStatistics> statistics;
        std::optional<double> partialsError; ///< the largest of that iteration
        std::vector<unsigned char> alive;
    };

    [[nodiscard]] bool isSampled(std::int64_t iteration) const;
    bool begin(std::int64_t iteration);
    void see(const MadeValue& made);
    ValueTensorId seenAt(const MadeValue& made);
    [[nodiscard]] Seen describe(const MadeValue& made, ValueKind kind) const;
    [[nodiscard]] const ModelNode* nodeOf(const MadeValue& made) const;
    [[nodiscard]] const ModelNode* firstReader(std::string_view weight) const;
    void placeAtReader(Seen& weight) const;
    void look(ValueTensorId id, std::int64_t iteration, std::span<const float> values);
    void compareSums(ValueTensorId id, const MadeValue& made);
    void finish(ValueTensorId id);

    const Graph& graph_;
    const BatchOptions& batch_;
    std::vector<std::int64_t> sampled_;
    std::int64_t most_ = 0;               ///< samples of a tensor
    std::int64_t stride_ = 0;             ///< between those of a run of any length; 0: another
    std::int64_t begun_ = 0, latest_ = 0; ///< samples so far, and the last one's iteration
    std::int64_t before_ = 0;             ///< iterations of calls before this one
    std::unordered_map<std::string_view, const ModelNode*> nodes_;
    /// Names in the model by those of an operation of a function and of the calls around it.
    std::map<std::pair<std::string, std::vector<std::string>>, std::string> places_;
    std::map<Key, ValueTensorId> ids_; ///< none: the tensor is left out
    IdVector<ValueTensorId, Seen> seen_;
    ProfileValues values_;
};

} // namespace tilescope::sim
