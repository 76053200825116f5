#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "views/execution/host_boxes.h"
#include "views/execution/item_kinds.h"
#include "views/execution/trace_selection.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

/// The channels of both hosts, so that one has one colour in all lanes.
struct ChannelNumbers {
    std::vector<std::string> names;
    std::map<std::uint32_t, std::int16_t> ofWord; ///< of one of the hosts
};

ChannelNumbers channelNumbers(const Hosts& hosts, const HostThreads& threads) {
    constexpr std::size_t most = 1000; // programs have few; more are not coloured
    ChannelNumbers numbers;
    std::map<std::string, std::int16_t> places;
    for (const auto& host : {hosts.source, hosts.target})
        for (std::size_t i = 0; host && i < host->threads().channels().size(); ++i) {
            const std::string& name = host->threads().word(host->threads().channels()[i]);
            if (!name.empty() && numbers.names.size() < most &&
                places.try_emplace(name, static_cast<std::int16_t>(numbers.names.size())).second)
                numbers.names.push_back(name);
        }
    for (const std::uint32_t word : threads.channels())
        if (const auto place = places.find(threads.word(word)); place != places.end())
            numbers.ofWord[word] = place->second;
    return numbers;
}

/// The threads that have lanes, in their order.
std::vector<std::size_t> threadsWithLanes(const HostThreads& host) {
    const auto cyclesOf = [&host](std::size_t at) {
        const HostThreads::Thread& thread = host.threads()[at];
        return thread.rows.empty() ? std::int64_t{0} : thread.rows.front().cyclesBefore.back();
    };
    std::vector<std::size_t> all(host.threads().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (all.size() <= mostThreadLanes)
        return all;
    std::ranges::stable_sort(all, std::greater(), cyclesOf);
    all.resize(mostThreadLanes);
    std::ranges::sort(all);
    return all;
}

class HostThreadItem : public TraceItem {
public:
    HostThreadItem(const TraceQuestion& question, std::shared_ptr<const HostOfProfile> host,
                   const HostThreads::Thread& thread,
                   std::shared_ptr<const ChannelNumbers> channels, bool target)
        : TraceItem(question, (target ? "target thread " : "source thread ") + thread.name,
                    threadLaneName(question.profiles, target, shownName(thread.name, mostOfOne)),
                    target)
        , host_(std::move(host))
        , thread_(thread)
        , channels_(std::move(channels))
        , clock_(question.profiles.source->machine().clockHz)
        , compilation_(question.compilation) {}

    [[nodiscard]] TraceLane read(const ItemDetail& detail, const std::stop_token&) const override {
        TraceLane lane = empty();
        lane.channels = channels_->names;
        for (const HostThreads::Row& row : thread_.rows) {
            TraceRow& boxes = lane.rows.emplace_back();
            for (const HostPiece& piece :
                 host_->threads().pieces(row, detail.range, detail.minimumCycles))
                boxes.boxes.push_back(boxOfPiece(piece));
        }
        return lane;
    }
    /// The outermost calls.
    [[nodiscard]] TraceRow folded(const TraceLane& lane) const override {
        return lane.rows.empty() ? TraceRow() : lane.rows.front();
    }
    [[nodiscard]] const TraceRow* strip(const TraceLane& lane) const override {
        return compilation_ ? &lane.folded : nullptr;
    }
    [[nodiscard]] QString readOut(const ItemPlace& place, const ViewContext&) const override {
        const TraceBox& box = *place.box;
        return hostReadOut(
            place, box.steps > 1 ? Text::tr("Events: %1").arg(box.steps) : titleOf(box), clock_);
    }
    void click(const ItemPlace& place, TraceSelection& selection) const override {
        TraceItem::click(place, selection);
        selection.showDetails(hostDetails(place, clock_));
    }

private:
    [[nodiscard]] std::int16_t numberOf(std::uint32_t channel) const {
        const auto found = channels_->ofWord.find(channel);
        return found == channels_->ofWord.end() ? std::int16_t{-1} : found->second;
    }
    [[nodiscard]] TraceBox boxOfPiece(const HostPiece& piece) const {
        TraceBox box{piece.cycles.begin,
                     std::max(piece.cycles.end, piece.cycles.begin + 1),
                     ProgramKind::Sequence,
                     TraceBox::Look::Run,
                     0,
                     piece.count,
                     {}};
        box.wallTime = true;
        box.moment = piece.hasMoment;
        box.channel = numberOf(piece.channel);
        if (piece.count == 1)
            box.name = host_->threads().word(piece.name);
        for (std::size_t i = 0; piece.count > 1 && i < piece.shares.size(); ++i)
            if (piece.shares[i].share > 0)
                box.tint.parts[i] = {numberOf(piece.shares[i].channel), piece.shares[i].share};
        return box;
    }

    std::shared_ptr<const HostOfProfile> host_;
    const HostThreads::Thread& thread_; ///< of the host
    std::shared_ptr<const ChannelNumbers> channels_;
    double clock_; ///< Hz, of the source
    bool compilation_;
};

} // namespace

void addHostThreads(TraceItems& items, const TraceQuestion& question, bool target) {
    const auto& host = target ? question.hosts.target : question.hosts.source;
    if (!host || host->threads().empty())
        return;
    const auto channels =
        std::make_shared<const ChannelNumbers>(channelNumbers(question.hosts, host->threads()));
    for (const std::size_t at : threadsWithLanes(host->threads()))
        items.push_back(std::make_shared<HostThreadItem>(
            question, host, host->threads().threads()[at], channels, target));
}

} // namespace tilescope::views
