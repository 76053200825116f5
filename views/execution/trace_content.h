// What the execution trace shows, made on a worker thread.
#pragma once

#include <optional>
#include <stop_token>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/execution/micro_batches.h"
#include "core/analysis/insights/losses.h"
#include "views/execution/box_tints.h"
#include "views/execution/hosts.h"
#include "views/execution/trace_axis.h"
#include "views/plot/trace/lane_ways.h"
#include "views/plot/trace/trace_rows.h"
#include "views/session/ipu_set.h"
#include "views/session/zoom_range.h"
#include "views/tables/value_tree.h"

namespace tilescope::views {

/// Tiles: the bulk-synchronous view, see tile_content.h; its strip shows the steps flat.
enum class TraceLook { Flame, Flat, Tiles };

/// "micro-batch 3 of 10, forward, stage 1, step 2 of 10".
QString microBatchText(const MicroBatches& batches, const MicroBatchPart& part);

/// The way of a micro-batch through the pipelines of both profiles in the steps that a range of
/// an axis touches: a way for each step, of the first ones if there are very many.
std::vector<LaneWay> microBatchWays(const ProfilePair& profiles, std::int64_t number,
                                    CycleRange range, const std::stop_token& stop,
                                    const TraceAxis& axis = {});

/// Which IPUs to show and how.
struct TraceQuestion {
    ProfilePair profiles;
    TraceLook look = TraceLook::Flame;
    IpuSet ipus;
    bool runs = true;                  ///< a row of the runs above the steps
    bool syncs = true;                 ///< boxes of syncs; without them their time stays empty
    Hosts hosts = {};                  ///< a lane above the IPUs of each profile that has one
    bool compilation = false;          ///< what the host did before the first run
    std::optional<LossKind> loss = {}; ///< whose steps stay bright; none: all
    TraceAxis axis = {};               ///< of ranges and boxes
    std::shared_ptr<const BoxTints> tints = {}; ///< none: boxes are coloured by their kinds
};

/// Whether only the target of two profiles has an execution, which is then shown and searched.
bool onlyTargetRan(const ProfilePair& profiles);
/// The profile whose execution the axis shows: the source, or the target if only that has one.
const ProfileViewPtr& executedOf(const ProfilePair& profiles);
/// Whether there is an execution to show.
bool canShow(const ProfilePair& profiles);
const ProfileViewPtr& profileOf(const ProfilePair& profiles, bool target);

/// An IPU of a profile that a question asks for.
struct AskedIpu {
    ProfileViewPtr profile;
    bool target = false;
    IpuId ipu;
    std::string name; ///< "IPU 0"; with two profiles "Source", a new line, and that
};
/// Empty for a profile without an execution.
std::vector<AskedIpu> askedIpus(const TraceQuestion& question);
/// TraceLane::key of the lane of an IPU.
std::string ipuLaneKey(IpuId ipu, bool target);

/// The whole cycles that a range of the axis touches, within its limits.
CycleRange wholeCycles(const ZoomRange& axis, double from, double to);

/// The longest of both executions.
std::int64_t traceLength(const ProfilePair& profiles, const std::stop_token& stop);

/// The first of the equal steps that a pipeline runs one after the other, with their number.
struct FirstStep {
    CycleRange range;
    std::int64_t count = 0;
};
/// None if the profile is not pipelined or runs its slots once.
std::optional<FirstStep> firstStep(const ProfileView& profile, const std::stop_token& stop);

/// Statistics of a range of the axis, for each IPU of each profile.
struct LaneStatistics {
    std::string name;
    TraceStatistics statistics;
    std::optional<double> stepBalance; ///< see core/trace/range_programs.h
    double clockHz = 0;
};
std::vector<LaneStatistics> traceStatistics(const TraceQuestion& question, CycleRange range,
                                            const std::stop_token& stop);

/// Everything about one executed step, as a tree of lines with a column for each IPU.
ValueTree stepDetails(const ProfileView& profile, const ExecutedStep& step,
                      const std::stop_token& stop);

} // namespace tilescope::views
