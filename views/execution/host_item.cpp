#include "views/execution/item_kinds.h"

#include <algorithm>
#include <iterator>

#include "views/execution/trace_selection.h"
#include "views/plot/read_out.h"
#include "views/session/time_texts.h"
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
    case HostWork::Tracepoint:
        break;
    case HostWork::Moment:
        result.moment = true;
        result.end = result.begin + 1; // boxes have a length
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

std::int16_t placeOfChannel(TraceLane& lane, const std::string& channel) {
    if (channel.empty())
        return -1;
    const auto found = std::find(lane.channels.begin(), lane.channels.end(), channel);
    const auto place = found - lane.channels.begin();
    constexpr std::ptrdiff_t most = 1000; // programs have few; more are not coloured
    if (place >= most)
        return -1;
    if (found == lane.channels.end())
        lane.channels.push_back(channel);
    return static_cast<std::int16_t>(place);
}

void addHostRow(TraceLane& lane, const QString& name, const std::vector<const HostLane*>& of) {
    TraceRow row;
    for (const HostLane* part : of)
        for (const HostBox& box : part->boxes) {
            row.boxes.push_back(hostBoxOf(box));
            row.boxes.back().channel = placeOfChannel(lane, box.channel);
        }
    lane.rows.push_back(std::move(row));
    lane.rowNames.push_back(name.toStdString());
}

std::string nameOfHost(bool comparing, bool target) {
    const QString name = !comparing ? Text::tr("Host")
                         : target   ? Text::tr("Target\nHost")
                                    : Text::tr("Source\nHost");
    return name.toStdString();
}

/// The channel of a box; empty without one.
std::string channelOf(const ItemPlace& place) {
    const std::vector<std::string>& channels = place.lane->channels;
    const auto channel = static_cast<std::size_t>(place.box->channel);
    return place.box->channel >= 0 && channel < channels.size() ? channels[channel] : std::string();
}

/// Details of a piece of host time, for the panel that shows a step's details.
ValueTree detailsOf(const ItemPlace& place, double clockHz) {
    const TraceBox& box = *place.box;
    ValueTree tree;
    tree.properties = true;
    tree.nameTitle = Text::tr("Host");
    tree.valueTitles.append(QString());
    const auto add = [&](const QString& name, Cell value, Unit unit = Unit::None) {
        tree.roots.push_back(valueLine(name, std::move(value), unit));
    };
    add(Text::tr("Name"), box.name);
    if (const std::string channel = channelOf(place); !channel.empty())
        add(Text::tr("Channel"), channel);
    // Rows below the first of a thread have no name of their own.
    const std::vector<std::string>& names = place.lane->rowNames;
    for (std::size_t row = std::min(place.row + 1, names.size()); row-- > 0;)
        if (!names[row].empty()) {
            add(Text::tr("Row"), names[row]);
            break;
        }
    if (!box.wallTime) {
        add(Text::tr("Start"), Duration{box.begin, clockHz}, Unit::Cycles);
        add(Text::tr("Duration"), Duration{box.cycles(), clockHz}, Unit::Cycles);
        return tree;
    }
    const double clock = std::max(1.0, clockHz);
    add(Text::tr("From start of first run"), static_cast<double>(box.begin) / clock, Unit::Seconds);
    if (box.moment)
        add(Text::tr("Time of the host"), Text::tr("none: a moment").toStdString());
    else
        add(Text::tr("Time of the host"), static_cast<double>(box.cycles()) / clock, Unit::Seconds);
    return tree;
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
        if (!host->copies().empty() && host->copies().known()) {
            const HostLane callbacks = host->callbacks(copies(*host, detail), detail.range);
            addHostRow(lane, Text::tr("Callbacks"), {&callbacks});
        }
        const std::string* thread = nullptr; // named once, before what is within its tracepoints
        for (const HostLane& recorded : host->recorded()) {
            const bool isNew = thread == nullptr || *thread != recorded.name;
            addHostRow(lane, isNew ? shownName(recorded.name) : QString(), {&recorded});
            thread = &recorded.name;
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
        if (!box.wallTime)
            return TraceItem::readOut(place, context);
        // The host's own time is not cycles of the machine: those only say where it is on the axis.
        const double clock = std::max(1.0, clock_);
        QStringList lines{titleOf(box)};
        if (const std::string channel = channelOf(place); !channel.empty())
            lines << readOutLine(Text::tr("Channel"), shownName(channel));
        if (!box.moment)
            lines << readOutLine(Text::tr("Time of the host"),
                                 durationText(static_cast<double>(box.cycles()) / clock));
        lines << readOutLine(Text::tr("From start of first run"),
                             durationText(static_cast<double>(box.begin) / clock));
        return lines.join(QLatin1Char('\n'));
    }
    /// The host's copy and that of the IPU are one step.
    void click(const ItemPlace& place, TraceSelection& selection) const override {
        if (place.box->look == TraceBox::Look::Step && place.box->steps >= 1) {
            selection.dropRange();
            return selection.showCopy(place.box->begin, target());
        }
        TraceItem::click(place, selection);
        selection.showDetails(detailsOf(place, clock_));
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
