#include "views/execution/item_kinds.h"

#include <algorithm>
#include <limits>

#include "views/execution/host_boxes.h"
#include "views/execution/repeated_lane.h"
#include "views/execution/trace_selection.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

std::string nameOf(const HostBox& box) {
    switch (box.work) {
    case HostWork::IpuWaits:
        return box.name.empty()
                   ? Text::tr("IPU waits for host").toStdString()
                   : Text::tr("IPU waits for host: %1").arg(shownName(box.name)).toStdString();
    case HostWork::HostWaits:
        return Text::tr("Host waits for IPU").toStdString();
    case HostWork::Callback:
        return box.name.empty() ? Text::tr("Stream copies").toStdString() : box.name;
    default:
        return box.name;
    }
}

// Runs and phases are grey, as runs of an IPU are; data transfers and waits for them have the
// colours of the corresponding steps on the IPU.
TraceBox hostBoxOf(const HostBox& box) {
    TraceBox result{box.cycles.begin, box.cycles.end, ProgramKind::Sequence, TraceBox::Look::Run, 0,
                    box.steps,        nameOf(box)};
    result.wallTime = isWallTime(box.work);
    switch (box.work) {
    case HostWork::Compilation:
    case HostWork::Call:
    case HostWork::Run:
        break;
    case HostWork::Loading:
        result.look = TraceBox::Look::Group;
        result.kind = ProgramKind::StreamCopyMid;
        break;
    case HostWork::Callback:
        result.look = TraceBox::Look::Step;
        result.kind = ProgramKind::StreamCopyMid;
        break;
    case HostWork::IpuWaits:
        result.look = TraceBox::Look::Step;
        result.kind = ProgramKind::StreamCopyBegin;
        break;
    case HostWork::HostWaits:
        result.look = TraceBox::Look::Group;
        result.kind = hostWaitsKind;
        result.steps = box.whole ? 1 : 0;
        break;
    }
    return result;
}

void addHostRow(TraceLane& lane, const QString& name, const std::vector<const HostLane*>& of) {
    TraceRow row;
    for (const HostLane* part : of)
        for (const HostBox& box : part->boxes)
            row.boxes.push_back(hostBoxOf(box));
    lane.rows.push_back(std::move(row));
    lane.rowNames.push_back(name.toStdString());
}

std::string nameOfHost(bool comparing, bool target) {
    const QString name = !comparing ? Text::tr("Host")
                         : target   ? Text::tr("Target\nHost")
                                    : Text::tr("Source\nHost");
    return name.toStdString();
}

/// What the host did beyond the runs of the trace, as far as a resolution shows it.
void addRepeated(TraceRow& row, const RepeatedRuns& repeated, const ItemDetail& detail) {
    std::int64_t drawn = std::numeric_limits<std::int64_t>::min() / 2;
    for (std::size_t at = repeated.firstFrom(detail.range.begin);
         at < repeated.starts.size() && repeated.starts[at] < detail.range.end; ++at) {
        const std::int64_t begin = repeated.starts[at];
        const std::int64_t end = begin + repeated.run.cycles;
        if (end - drawn < detail.minimumCycles)
            continue;
        row.boxes.push_back(
            {begin, end, ProgramKind::Sequence, TraceBox::Look::Run, 0, 1, repeated.run.name});
        row.boxes.back().ghost = true;
        drawn = end;
    }
}

class HostItem : public TraceItem {
public:
    HostItem(const TraceQuestion& question, std::shared_ptr<const HostOfProfile> host, bool target)
        : TraceItem(question, target ? "target host" : "source host",
                    nameOfHost(question.profiles.comparing(), target), target)
        , host_(std::move(host))
        , clock_(question.profiles.source->machine().clockHz)
        , compilation_(question.compilation) {
        for (const AskedIpu& asked : askedIpus(question))
            if (asked.target == target)
                ipus_.push_back(asked.ipu);
    }

    [[nodiscard]] TraceLane read(const ItemDetail& detail,
                                 const std::stop_token& stop) const override {
        const auto host = host_->timeline(stop);
        TraceLane lane = empty();
        if (compilation_) {
            std::vector<const HostLane*> before;
            for (const HostLane& part : host->before())
                before.push_back(&part);
            addHostRow(lane, Text::tr("Compilation"), before);
        }
        const HostLane engine = host->engine();
        addHostRow(lane, Text::tr("Engine"), {&engine});
        addRepeated(lane.rows.back(), host_->repeated(), detail);
        if (!host->copies().empty() && host->copies().known()) {
            const HostLane callbacks = host->callbacks(copies(*host, detail), detail.range);
            addHostRow(lane, Text::tr("Callbacks"), {&callbacks});
        }
        return lane;
    }

    /// The row of callbacks is the most informative: who waits for whom.
    [[nodiscard]] TraceRow folded(const TraceLane& lane) const override {
        const std::size_t callbacks = compilation_ ? 2 : 1;
        return lane.rows[std::min(callbacks, lane.rows.size() - 1)];
    }
    /// What was before the runs; the rest is in the lanes of the IPUs.
    [[nodiscard]] const TraceRow* strip(const TraceLane& lane) const override {
        return compilation_ && !lane.rows.empty() ? &lane.rows.front() : nullptr;
    }
    [[nodiscard]] QString readOut(const ItemPlace& place,
                                  const ViewContext& context) const override {
        const TraceBox& box = *place.box;
        if (box.ghost)
            return TraceItem::readOut(place, context) + QLatin1Char('\n') + repeatedText();
        if (!box.wallTime)
            return TraceItem::readOut(place, context);
        return hostReadOut(place, titleOf(box), clock_);
    }
    /// The host's copy and that of the IPU are one step.
    void click(const ItemPlace& place, TraceSelection& selection) const override {
        if (place.box->look == TraceBox::Look::Step && place.box->steps >= 1) {
            selection.dropRange();
            return selection.showCopy(place.box->begin, target());
        }
        TraceItem::click(place, selection);
        selection.showDetails(hostDetails(place, clock_));
    }

private:
    [[nodiscard]] std::vector<TraceSpan> copies(const HostTimeline& host,
                                                const ItemDetail& detail) const {
        std::vector<std::vector<TraceSpan>> ofIpus(ipus_.size());
        shareWork(ipus_.size(), detail.cores, [&](std::size_t at) {
            ofIpus[at] = host.copies().spans(ipus_[at], detail.range, detail.minimumCycles);
        });
        std::vector<TraceSpan> together;
        for (const std::vector<TraceSpan>& of : ofIpus)
            together.insert(together.end(), of.begin(), of.end());
        return together;
    }

    std::shared_ptr<const HostOfProfile> host_;
    double clock_; ///< Hz, of the source
    bool compilation_;
    std::vector<IpuId> ipus_;
};

} // namespace

void addHost(TraceItems& items, const TraceQuestion& question, bool target) {
    if (const auto& host = target ? question.hosts.target : question.hosts.source)
        items.push_back(std::make_shared<HostItem>(question, host, target));
}

} // namespace tilescope::views
