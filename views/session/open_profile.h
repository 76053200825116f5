// A profile that is open: what it says about itself, and its parts, loaded when first asked for.
#pragma once

#include <QString>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>

#include "core/store/profile_reader.h"
#include "core/trace/trace_index.h"

namespace tilescope::views {

/// A value that the first caller loads and the others wait for. A load that throws leaves it empty,
/// so a cancelled query does not spoil the next.
template <class T> class LazyPart {
public:
    template <class Load> std::shared_ptr<const T> get(Load load) const {
        const std::lock_guard lock(mutex_);
        if (!value_)
            value_ = std::make_shared<const T>(load());
        return value_;
    }

private:
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const T> value_;
};

/// Safe for many threads at once: each part is read by a reader of its own. Calls throw UserError
/// for a damaged file and Cancelled after a stop.
class OpenProfile {
public:
    explicit OpenProfile(std::filesystem::path file, ProfileInfo info);

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    [[nodiscard]] const ProfileInfo& info() const { return info_; }
    [[nodiscard]] const Target& machine() const { return info_.target; }
    /// Model and target for titles: "resnet50 on mk2".
    [[nodiscard]] QString title() const;

    /// A reader for the calling thread.
    [[nodiscard]] ProfileReader reader(const std::stop_token& stop) const;

    template <class T> using Part = std::shared_ptr<const T>;
    using Stop = const std::stop_token&;
    [[nodiscard]] Part<std::vector<Message>> messages(Stop stop) const;
    [[nodiscard]] Part<IdVector<OperationId, Operation>> operations(Stop stop) const;
    [[nodiscard]] Part<ModelGraph> modelGraph(Stop stop) const;
    [[nodiscard]] Part<IdVector<LivenessClassId, LivenessClass>> livenessClasses(Stop stop) const;
    [[nodiscard]] Part<IdVector<VariableId, Variable>> variables(Stop stop) const;
    [[nodiscard]] Part<IdVector<VertexTypeId, VertexType>> vertexTypes(Stop stop) const;
    [[nodiscard]] Part<IdVector<ComputeSetId, ComputeSet>> computeSets(Stop stop) const;
    [[nodiscard]] Part<IdVector<ExchangeId, Exchange>> exchanges(Stop stop) const;
    [[nodiscard]] Part<IdVector<CopyId, Copy>> copies(Stop stop) const;
    [[nodiscard]] Part<IdVector<StreamId, Stream>> streams(Stop stop) const;
    [[nodiscard]] Part<IdVector<ProgramId, Program>> programs(Stop stop) const;
    [[nodiscard]] Part<IdVector<StepId, ProgramId>> steps(Stop stop) const;
    [[nodiscard]] Part<LivenessCurve> livenessCurve(Stop stop) const;
    [[nodiscard]] Part<std::vector<CategoryMemory>> categoryMemory(Stop stop) const;
    [[nodiscard]] Part<IdVector<TileId, TileMemory>> tileMemory(Stop stop) const;
    [[nodiscard]] Part<TraceIndex> trace(Stop stop) const;

private:
    template <class T, class Read>
    Part<T> load(const LazyPart<T>& part, Stop stop, Read read) const;

    std::filesystem::path file_;
    ProfileInfo info_;
    LazyPart<std::vector<Message>> messages_;
    LazyPart<IdVector<OperationId, Operation>> operations_;
    LazyPart<ModelGraph> modelGraph_;
    LazyPart<IdVector<LivenessClassId, LivenessClass>> livenessClasses_;
    LazyPart<IdVector<VariableId, Variable>> variables_;
    LazyPart<IdVector<VertexTypeId, VertexType>> vertexTypes_;
    LazyPart<IdVector<ComputeSetId, ComputeSet>> computeSets_;
    LazyPart<IdVector<ExchangeId, Exchange>> exchanges_;
    LazyPart<IdVector<CopyId, Copy>> copies_;
    LazyPart<IdVector<StreamId, Stream>> streams_;
    LazyPart<IdVector<ProgramId, Program>> programs_;
    LazyPart<IdVector<StepId, ProgramId>> steps_;
    LazyPart<LivenessCurve> livenessCurve_;
    LazyPart<std::vector<CategoryMemory>> categoryMemory_;
    LazyPart<IdVector<TileId, TileMemory>> tileMemory_;
    LazyPart<TraceIndex> trace_;
};

using OpenProfilePtr = std::shared_ptr<const OpenProfile>;

/// Source and target as a query sees them; the target may be missing.
struct ProfilePair {
    OpenProfilePtr source;
    OpenProfilePtr target;
    [[nodiscard]] bool comparing() const { return source && target; }
};

} // namespace tilescope::views
