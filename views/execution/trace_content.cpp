#include "views/execution/trace_content.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/analysis/programs/programs.h"
#include "core/base/error.h"
#include "core/report/range_table.h"
#include "core/trace/range_programs.h"
#include "views/programs/program_details.h"
#include "views/theme/text.h"

namespace tilescope::views {

bool onlyTargetRan(const ProfilePair& profiles) {
    return profiles.comparing() && !profiles.source->info().hasExecution &&
           profiles.target->info().hasExecution;
}

const ProfileViewPtr& executedOf(const ProfilePair& profiles) {
    return onlyTargetRan(profiles) ? profiles.target : profiles.source;
}

bool canShow(const ProfilePair& profiles) {
    return executedOf(profiles) && executedOf(profiles)->info().hasExecution;
}

const ProfileViewPtr& profileOf(const ProfilePair& profiles, bool target) {
    return target ? profiles.target : profiles.source;
}

std::vector<AskedIpu> askedIpus(const TraceQuestion& question) {
    std::vector<AskedIpu> asked;
    for (const ProfileViewPtr& profile : {question.profiles.source, question.profiles.target}) {
        if (!profile || !profile->info().hasExecution)
            continue;
        const bool target = profile == question.profiles.target;
        for (const IpuId ipu : question.ipus.of(profile->machine().ipus)) {
            QString name = Text::tr("IPU %1").arg(ipu.value());
            if (question.profiles.comparing())
                name = (target ? Text::tr("Target\n%1") : Text::tr("Source\n%1")).arg(name);
            asked.push_back({profile, target, ipu, name.toStdString()});
        }
    }
    return asked;
}

std::string ipuLaneKey(IpuId ipu, bool target) {
    return std::string(target ? "target" : "source") + " ipu " + std::to_string(ipu.value());
}

CycleRange wholeCycles(const ZoomRange& axis, double from, double to) {
    return {static_cast<std::int64_t>(std::floor(std::max(axis.first(), from))),
            static_cast<std::int64_t>(std::ceil(to))};
}

QString microBatchText(const MicroBatches& batches, const MicroBatchPart& part) {
    QString text = Text::tr("micro-batch %1 of %2").arg(part.number).arg(batches.count());
    if (part.forward != part.backward)
        text += part.forward ? Text::tr(", forward") : Text::tr(", backward");
    text += Text::tr(", stage %1").arg(part.stage);
    if (batches.iterations() > 1)
        text += Text::tr(", step %1 of %2").arg(part.iteration + 1).arg(batches.iterations());
    return text;
}

std::vector<LaneWay> microBatchWays(const ProfilePair& profiles, std::int64_t number,
                                    CycleRange range, const std::stop_token& stop,
                                    const TraceAxis& axis) {
    constexpr std::int64_t mostSteps = 48; // more are too narrow to follow anything
    std::vector<LaneWay> ways;
    for (const ProfileViewPtr& profile : {profiles.source, profiles.target}) {
        if (!profile || !profile->info().hasExecution)
            continue;
        const bool target = profile == profiles.target;
        std::map<std::int64_t, LaneWay> bySteps;
        for (const MicroBatchRun& run :
             microBatchesOf(*profile, stop)
                 ->runsOf(number, *profile->trace(stop), axis.cyclesAt(range, target), mostSteps)) {
            const QString letter = run.part.forward && run.part.backward ? QStringLiteral("F%1 B%1")
                                   : run.part.forward                    ? QStringLiteral("F%1")
                                                                         : QStringLiteral("B%1");
            bySteps[run.part.iteration].push_back({ipuLaneKey(run.ipu, target),
                                                   axis.placesOf(run.range, target),
                                                   letter.arg(number)});
        }
        for (auto& [step, way] : bySteps)
            ways.push_back(std::move(way));
    }
    return ways;
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
        const CycleRange own = question.axis.cyclesAt(range, asked.target);
        // The host's time before the first run is none of the IPU's.
        const CycleRange part{std::max(own.begin, std::int64_t{0}),
                              std::min(own.end, index->totalCycles())};
        std::string name = asked.name;
        std::replace(name.begin(), name.end(), '\n', ' ');
        if (part.cycles() > 0)
            all.push_back(
                {std::move(name), index->statistics(asked.ipu, part),
                 stepBalance(*index, asked.ipu, part, asked.profile->machine().tilesPerIpu),
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
    const auto batches = microBatchesOf(profile, stop);
    if (const auto part = batches->partOf(step))
        text(Text::tr("Pipeline"), microBatchText(*batches, *part).toStdString());
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
    line(QString::fromStdString(stepBalanceColumn().title), Unit::Share, [&](const StepOnIpu& s) {
        return balanceCell(stepBalance(step.kind, s, profile.machine().tilesPerIpu));
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
