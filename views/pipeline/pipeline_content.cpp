#include "views/pipeline/pipeline_content.h"

#include <QRegularExpression>
#include <algorithm>

#include "core/report/compared_tables.h"
#include "core/report/pipeline_tables.h"
#include "views/session/profile_texts.h"
#include "views/session/report_pair.h"
#include "views/session/time_texts.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

QString percent(double share) {
    return QStringLiteral("%1 %").arg(100 * share, 0, 'f', 1);
}

QString slotsText(const PipelineReport& report) {
    return Text::tr("%1 + %2 + %3")
        .arg(countText(report.rampUpSlots), countText(report.mainSlots),
             countText(report.rampDownSlots));
}

/// "Main, slot 1 of 1, 4 times" where main slots are drawn once.
QString placeInGroup(const SlotLayout& layout, const SlotPiece& piece) {
    const double middle = (piece.from + piece.to) / 2;
    for (const SlotGroup& group : layout.groups)
        if (middle >= group.from && middle < group.to) {
            std::size_t first = 0;
            while (layout.columns[first].from < group.from)
                ++first;
            const QString place = Text::tr("%1, slot %2 of %3")
                                      .arg(groupName(group))
                                      .arg(piece.column - first + 1)
                                      .arg(group.slotCount);
            return group.repeats > 1 ? place + Text::tr(", %1 times").arg(countText(group.repeats))
                                     : place;
        }
    return {};
}

QString cyclesOrDash(std::int64_t cycles, double clockHz, const Preferences& preferences) {
    return cycles > 0 ? preferences.cycles(cycles, clockHz) : QStringLiteral("\u2013");
}

} // namespace

PipelineSide readPipeline(const ProfileView& profile, const std::stop_token& stop) {
    return {pipelineReport(profile, stop), profileTitle(profile), profile.machine().clockHz,
            profile.info().hasExecution ? profile.info().cycles : 0};
}

void tellApart(PipelineSide& source, PipelineSide& target, const ProfileView& sourceProfile,
               const ProfileView& targetProfile) {
    if (source.title != target.title)
        return;
    const auto [before, after] = shortNames(sourceProfile.file(), targetProfile.file());
    source.title = Text::tr("%1 (%2)").arg(source.title, before);
    target.title = Text::tr("%1 (%2)").arg(target.title, after);
}

Table stageTable(const PipelineSide& source, const PipelineSide* target) {
    return target == nullptr ? stagesTable(source.report)
                             : tableOfTwo(stagesTable(source.report), stagesTable(target->report));
}

std::vector<Card::Fact> pipelineFacts(const PipelineSide& source, const PipelineSide* target,
                                      const Preferences& preferences) {
    std::vector<Card::Fact> facts;
    const bool comparing = target != nullptr;
    // Two columns have no room for both cycles and time.
    const bool onlyOne = comparing && preferences.clockUnits() == ClockUnits::CyclesAndTime;
    const auto clock = [onlyOne](const PipelineSide& s) { return onlyOne ? 0 : s.clockHz; };
    const auto add = [&](const QString& name, auto value) {
        facts.push_back({name, value(source), target != nullptr ? value(*target) : QString()});
    };
    add(Text::tr("Schedule"),
        [](const PipelineSide& s) { return QString::fromStdString(s.report.schedule); });
    // The other run may have no pipeline, so no steps and slots.
    const auto ofPipeline = [&](const QString& name, auto value) {
        add(name, [value](const PipelineSide& s) {
            return s.report.iterations > 0 ? value(s) : QStringLiteral("\u2013");
        });
    };
    ofPipeline(Text::tr("Micro-batches of a step"),
               [](const PipelineSide& s) { return countText(s.report.microBatches); });
    ofPipeline(Text::tr("Steps of the run"),
               [](const PipelineSide& s) { return countText(s.report.iterations); });
    ofPipeline(Text::tr("Slots (up + main + down)"),
               [](const PipelineSide& s) { return slotsText(s.report); });
    ofPipeline(Text::tr("A step takes"), [&](const PipelineSide& s) {
        return cyclesOrDash(s.stepCycles / s.report.iterations, clock(s), preferences);
    });
    add(Text::tr("Longest stage"), [&](const PipelineSide& s) {
        const PipelineReport& r = s.report;
        return r.longestStage < 0
                   ? QStringLiteral("\u2013")
                   : Text::tr("%1: %2")
                         .arg(r.longestStage)
                         .arg(cyclesOrDash(
                             r.stages[static_cast<std::size_t>(r.longestStage)].cycles(), clock(s),
                             preferences));
    });
    return facts;
}

QString splitText(const PipelineSide& side, const Preferences& preferences) {
    const PipelineReport& report = side.report;
    if (report.stages.empty())
        return QString::fromStdString(report.hint);
    if (side.stepCycles <= 0)
        return Text::tr("Without an execution there are no cycles to balance the stages by.");
    if (report.better.split.empty())
        return Text::tr("No split between other blocks of the model has a shorter longest stage.");
    const std::int64_t now = report.stages[static_cast<std::size_t>(report.longestStage)].cycles();
    QStringList stages;
    for (const std::int64_t cycles : report.better.stageCycles)
        stages << preferences.cyclesAlone(cycles, side.clockHz);
    return Text::tr("Another split would shorten the run by %1, %2, if copies between IPUs stay as "
                    "they are. Its longest stage takes %3 instead of %4; all: %5.")
        .arg(percent(report.better.gain),
             preferences.cycles(report.better.gainCycles, side.clockHz),
             preferences.cycles(report.better.longestCycles, side.clockHz),
             preferences.cycles(now, side.clockHz), stages.join(QStringLiteral(" / ")));
}

QString splitValue(const PipelineReport& report) {
    QStringList names;
    for (const std::string& name : report.better.split)
        names << shownName(name);
    return names.join(QLatin1Char(','));
}

QString splitOption(const PipelineReport& report) {
    if (report.better.split.empty())
        return {};
    QString value = splitValue(report);
    static const QRegularExpression special(QStringLiteral("[^A-Za-z0-9_./:,@%+=-]"));
    if (value.contains(special)) {
        value.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
        value = QLatin1Char('\'') + value + QLatin1Char('\'');
    }
    return QStringLiteral("--split %1").arg(value);
}

QString workName(SlotWork work) {
    switch (work) {
    case SlotWork::Forward:
        return Text::tr("Forward (F)");
    case SlotWork::Recompute:
        return Text::tr("Computed again (R)");
    case SlotWork::Backward:
        return Text::tr("Backward (B)");
    case SlotWork::Fifo:
        return Text::tr("Moves FIFOs on");
    case SlotWork::Update:
        break;
    }
    return Text::tr("Weight update (U)");
}

QString microBatchText(const PipelineReport& report, std::int64_t number) {
    return Text::tr("Micro-batch %1 of %2").arg(countText(number), countText(report.microBatches));
}

QString groupName(const SlotGroup& group) {
    if (group.isUpdate)
        return Text::tr("Update");
    switch (group.part) {
    case PipelinePart::RampUp:
        return Text::tr("Ramp-up");
    case PipelinePart::Main:
        return Text::tr("Main");
    case PipelinePart::RampDown:
        break;
    }
    return Text::tr("Ramp-down");
}

QString pieceText(const PipelineSide& side, const SlotLayout& layout, const SlotPiece& piece,
                  const Preferences& preferences) {
    const PipelineStage& stage = side.report.stages[static_cast<std::size_t>(piece.stage)];
    QStringList lines{Text::tr("%1 of stage %2 on IPU %3")
                          .arg(workName(piece.work))
                          .arg(piece.stage)
                          .arg(stage.ipu.value()),
                      cyclesOrDash(piece.cycles, side.clockHz, preferences)};
    if (layout.columns[piece.column].isUpdate)
        return lines.join(QLatin1Char('\n'));
    const SlotColumn& column = layout.columns[piece.column];
    const PipelineSlotTime& slot = side.report.slotTimes[column.slot];
    if (piece.microBatch > 0) {
        lines.insert(1, microBatchText(side.report, piece.microBatch));
        lines << Text::tr("%1, slot %2 of %3")
                     .arg(groupName({slot.part}), countText(column.number + 1),
                          countText(slotCount(side.report)));
    } else {
        lines << placeInGroup(layout, piece);
    }
    if (slot.cycles > 0)
        lines << Text::tr("The slot takes %1").arg(preferences.cycles(slot.cycles, side.clockHz));
    return lines.join(QLatin1Char('\n'));
}

} // namespace tilescope::views
