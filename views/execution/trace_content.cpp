#include "views/execution/trace_content.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/analysis/programs/programs.h"
#include "core/base/error.h"
#include "views/programs/program_details.h"
#include "views/query/shared_work.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::string lastPart(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

TraceRow runRow(const TraceIndex& index) {
    TraceRow row;
    for (const TraceRun& run : index.runs())
        row.boxes.push_back({run.start, run.start + run.cycles, ProgramKind::Sequence,
                             TraceBox::Look::Run, 0, 0, run.name});
    return row;
}

TraceBox boxOf(const TraceSpan& span, const IdVector<ProgramId, Program>& programs) {
    TraceBox box{span.begin,     span.end,   span.kind, TraceBox::Look::Step,
                 span.firstStep, span.steps, {}};
    if (span.program.valid())
        box.name = lastPart(programs[span.program].name);
    if (box.name.empty() && !span.merged())
        box.name = std::string(toString(span.kind));
    return box;
}

/// Where steps still overlap, the later goes a row down.
void addFlat(TraceLane& lane, const IdVector<ProgramId, Program>& programs,
             const std::vector<TraceSpan>& spans) {
    std::vector<TraceRow> rows;
    for (const TraceSpan& span : spans) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const TraceRow& r) {
            return r.boxes.back().end <= span.begin;
        });
        if (row == rows.end())
            row = rows.insert(rows.end(), TraceRow());
        row->boxes.push_back(boxOf(span, programs));
    }
    std::move(rows.begin(), rows.end(), std::back_inserter(lane.rows));
}

void addFlame(TraceLane& lane, const TraceIndex& index,
              const IdVector<ProgramId, Program>& programs, const std::vector<TraceSpan>& spans) {
    std::vector<TraceRow> rows;
    for (const FlameSpan& span : flameRows(index, programs, spans)) {
        const auto row = static_cast<std::size_t>(span.row);
        if (rows.size() <= row)
            rows.resize(row + 1);
        const auto look = span.leaf ? TraceBox::Look::Step : TraceBox::Look::Group;
        rows[row].boxes.push_back(
            {span.begin, span.end, span.kind, look, span.firstStep, span.steps, span.name});
    }
    // Row 0 are the runs, which every look has alike.
    if (rows.size() > 1)
        std::move(rows.begin() + 1, rows.end(), std::back_inserter(lane.rows));
}

void dropSyncs(TraceLane& lane) {
    for (TraceRow& row : lane.rows)
        std::erase_if(row.boxes, [](const TraceBox& box) {
            return box.look == TraceBox::Look::Step && box.kind == ProgramKind::Sync;
        });
}

TraceLane laneOf(const AskedIpu& asked, const TraceQuestion& question, CycleRange range,
                 std::int64_t minimumCycles, const std::stop_token& stop) {
    const auto index = asked.profile->trace(stop);
    const auto programs = asked.profile->programs(stop);
    TraceLane lane{asked.name, asked.target, asked.ipu.value(), {}};
    if (question.runs)
        lane.rows.push_back(runRow(*index));
    std::vector<TraceSpan> spans = index->spans(asked.ipu, range, minimumCycles);
    const std::vector<TraceSpan> streams = takeOverlappingStreams(spans);
    if (question.look == TraceLook::Flame)
        addFlame(lane, *index, *programs, spans);
    else
        addFlat(lane, *programs, spans);
    addFlat(lane, *programs, streams);
    if (!question.syncs)
        dropSyncs(lane);
    return lane;
}

const HostOfProfile* hostOf(const TraceQuestion& question, bool target) {
    return (target ? question.hosts.target : question.hosts.source).get();
}

std::string nameOfHost(const TraceQuestion& question, bool target) {
    // In one line, as the names of rows are below it.
    const QString name = !question.profiles.comparing() ? Text::tr("Host")
                         : target                       ? Text::tr("Target host")
                                                        : Text::tr("Source host");
    return name.toStdString();
}

/// Where lanes are below each other: hosts among the IPUs.
struct LanePlaces {
    std::vector<std::size_t> ofIpus;                   ///< of each asked IPU
    std::array<std::optional<std::size_t>, 2> ofHosts; ///< of source and target
    std::size_t count = 0;
};

LanePlaces lanePlaces(const TraceQuestion& question, const std::vector<AskedIpu>& asked) {
    LanePlaces places;
    for (const AskedIpu& ipu : asked) {
        std::optional<std::size_t>& host = places.ofHosts[ipu.target ? 1 : 0];
        if (!host && hostOf(question, ipu.target) != nullptr)
            host = places.count++;
        places.ofIpus.push_back(places.count++);
    }
    return places;
}

struct Resolution {
    CycleRange range;
    std::int64_t minimumCycles = 1;
    Cores cores = Cores::All;
};

/// From the copies of the IPUs that are asked for.
TraceLane laneOfHost(const TraceQuestion& question, bool target, const std::vector<AskedIpu>& all,
                     const Resolution& at, const std::stop_token& stop) {
    const auto timeline = hostOf(question, target)->timeline(stop);
    std::vector<std::vector<TraceSpan>> copies(all.size());
    shareWork(all.size(), at.cores, [&](std::size_t ipu) {
        if (all[ipu].target == target)
            copies[ipu] = timeline->copies().spans(all[ipu].ipu, at.range, at.minimumCycles);
    });
    std::vector<TraceSpan> together;
    for (const std::vector<TraceSpan>& of : copies)
        together.insert(together.end(), of.begin(), of.end());
    return hostLane(*timeline,
                    {nameOfHost(question, target), target, question.compilation, at.range},
                    std::move(together));
}

} // namespace

std::vector<AskedIpu> askedIpus(const TraceQuestion& question) {
    std::vector<AskedIpu> asked;
    for (const ProfileViewPtr& profile : {question.profiles.source, question.profiles.target}) {
        if (!profile)
            continue;
        const bool target = profile == question.profiles.target;
        for (std::int32_t ipu = 0; ipu < profile->machine().ipus; ++ipu) {
            if (question.ipu.valid() && question.ipu.value() != ipu)
                continue;
            QString name = Text::tr("IPU %1").arg(ipu);
            if (question.profiles.comparing())
                name = (target ? Text::tr("Target\n%1") : Text::tr("Source\n%1")).arg(name);
            asked.push_back({profile, target, IpuId(ipu), name.toStdString()});
        }
    }
    return asked;
}

std::vector<TraceLane> traceLanes(const TraceQuestion& question, CycleRange range,
                                  std::int64_t minimumCycles, const std::stop_token& stop,
                                  std::optional<TracePlottable::LaneRange> wanted) {
    const std::vector<AskedIpu> all = askedIpus(question);
    const LanePlaces places = lanePlaces(question, all);
    const auto isWanted = [&](std::size_t place) { return !wanted || wanted->contains(place); };
    std::vector<TraceLane> lanes(places.count);
    // Some of the lanes are wanted again and again while one zooms, all of them for the first plot.
    const Cores cores = wanted ? Cores::AllButOne : Cores::All;
    const std::size_t hosts = places.ofHosts.size();
    shareWork(hosts + all.size(), cores, [&](std::size_t job) {
        if (stop.stop_requested())
            throw Cancelled();
        if (job < hosts) { // what is read once; the lanes follow
            if (places.ofHosts[job] && isWanted(*places.ofHosts[job]))
                static_cast<void>(hostOf(question, job == 1)->timeline(stop));
            return;
        }
        const AskedIpu& asked = all[job - hosts];
        const std::size_t place = places.ofIpus[job - hosts];
        lanes[place] = isWanted(place) ? laneOf(asked, question, range, minimumCycles, stop)
                                       : TraceLane{asked.name, asked.target, asked.ipu.value(), {}};
    });
    for (std::size_t host = 0; host < hosts; ++host)
        if (const std::optional<std::size_t> place = places.ofHosts[host])
            lanes[*place] =
                isWanted(*place)
                    ? laneOfHost(question, host == 1, all, {range, minimumCycles, cores}, stop)
                    : TraceLane{nameOfHost(question, host == 1), host == 1, -1, {}};
    return lanes;
}

CycleRange wholeCycles(const ZoomRange& axis, double from, double to) {
    return {static_cast<std::int64_t>(std::floor(std::max(axis.first(), from))),
            static_cast<std::int64_t>(std::ceil(to))};
}

std::int64_t traceLength(const ProfilePair& profiles, const std::stop_token& stop) {
    std::int64_t length = profiles.source->trace(stop)->totalCycles();
    if (profiles.comparing())
        length = std::max(length, profiles.target->trace(stop)->totalCycles());
    return length;
}

std::optional<FirstStep> firstStep(const ProfileView& profile, const std::stop_token& stop) {
    const std::int64_t count = profile.reader(stop).pipeline().iterations;
    if (count < 2)
        return {};
    const auto programs = profile.programs(stop);
    // The outermost repeat is before those inside it.
    for (std::size_t i = 0; i < programs->size(); ++i) {
        const Program& program = (*programs)[ProgramId(i)];
        if (program.kind != ProgramKind::Repeat || program.count != count)
            continue;
        const auto call = profile.trace(stop)->findCall(ProgramId(i));
        if (!call)
            continue;
        const std::int64_t length = call->range.cycles() / count;
        return FirstStep{{call->range.begin, call->range.begin + length}, count};
    }
    return {};
}

std::vector<LaneStatistics> traceStatistics(const TraceQuestion& question, CycleRange range,
                                            const std::stop_token& stop) {
    std::vector<LaneStatistics> all;
    for (const AskedIpu& asked : askedIpus(question)) {
        if (stop.stop_requested())
            throw Cancelled();
        const auto index = asked.profile->trace(stop);
        const CycleRange part{range.begin, std::min(range.end, index->totalCycles())};
        std::string name = asked.name;
        std::replace(name.begin(), name.end(), '\n', ' ');
        if (part.cycles() > 0)
            all.push_back({std::move(name), index->statistics(asked.ipu, part),
                           asked.profile->machine().clockHz});
    }
    return all;
}

ValueTree stepDetails(const ProfileView& profile, const ExecutedStep& step,
                      const std::stop_token& stop) {
    const auto programs = profile.programs(stop);
    ValueTree tree;
    tree.properties = true;
    tree.nameTitle = Text::tr("Step %1").arg(step.index);
    const auto line = [&](const QString& name, Unit unit, auto value) {
        ValueNode node{name, {}, {}, unit};
        for (const StepOnIpu& ipu : step.ipus)
            node.values.emplace_back(value(ipu));
        tree.roots.push_back(std::move(node));
    };
    const auto text = [&](const QString& name, const std::string& value) {
        if (!value.empty())
            tree.roots.push_back(valueLine(name, value));
    };
    text(Text::tr("Kind"), std::string(toString(step.kind)));
    if (step.program.valid()) {
        const Program& program = (*programs)[step.program];
        text(Text::tr("Name"), program.name);
    }
    std::string callers;
    for (const ProgramId caller : step.callers)
        callers += (callers.empty() ? "" : " > ") + programLabel((*programs)[caller]);
    text(Text::tr("Called from"), callers);
    for (const StepOnIpu& ipu : step.ipus)
        tree.valueTitles.append(Text::tr("IPU %1").arg(ipu.ipu.value()));
    if (tree.valueTitles.isEmpty())
        tree.valueTitles.append(QString());
    const double clock = profile.machine().clockHz;
    line(Text::tr("Start"), Unit::Cycles, [&](const StepOnIpu& s) {
        return Cell(Duration{s.start, clock});
    });
    line(Text::tr("Duration"), Unit::Cycles, [&](const StepOnIpu& s) {
        return Cell(Duration{s.cycles, clock});
    });
    line(Text::tr("Active tiles"), Unit::Count,
         [](const StepOnIpu& s) { return Cell(s.activeTiles); });
    line(Text::tr("Tile balance"), Unit::Share, [&](const StepOnIpu& s) {
        const double all = static_cast<double>(s.cycles) * profile.machine().tilesPerIpu;
        return Cell(all == 0 ? 0.0 : static_cast<double>(s.activeCycles) / all);
    });
    line(Text::tr("Received"), Unit::Bytes, [](const StepOnIpu& s) { return Cell(s.bytesIn); });
    line(Text::tr("Sent"), Unit::Bytes, [](const StepOnIpu& s) { return Cell(s.bytesOut); });
    if (step.program.valid()) {
        std::vector<ValueNode> parts = programParts(profile, step.program, stop);
        tree.roots.insert(tree.roots.end(), std::make_move_iterator(parts.begin()),
                          std::make_move_iterator(parts.end()));
    }
    return tree;
}

} // namespace tilescope::views
