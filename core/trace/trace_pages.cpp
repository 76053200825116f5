#include "core/trace/trace_pages.h"

#include <algorithm>
#include <limits>
#include <list>
#include <mutex>
#include <unordered_map>

#include "core/base/damaged_profile.h"
#include "core/trace/trace_reader.h"
#include "core/trace/trace_tables.h"

namespace tilescope {
namespace {

// A page of entries takes 40 KB in memory; all kept pages stay below 40 MB.
constexpr std::size_t pagesKept = 1000;

[[noreturn]] void damaged(const char* what) {
    throw DamagedProfile(std::string("the trace ") + what);
}

/// The most recently used values, by key. Not thread-safe.
template <class Value> class RecentlyUsed {
public:
    Value find(std::uint64_t key) {
        const auto at = places_.find(key);
        if (at == places_.end())
            return {};
        values_.splice(values_.begin(), values_, at->second);
        return at->second->second;
    }
    void put(std::uint64_t key, Value value) {
        if (places_.contains(key))
            return;
        values_.emplace_front(key, std::move(value));
        places_[key] = values_.begin();
        if (values_.size() > pagesKept) {
            places_.erase(values_.back().first);
            values_.pop_back();
        }
    }

private:
    std::list<std::pair<std::uint64_t, Value>> values_;
    std::unordered_map<std::uint64_t, typename std::list<std::pair<std::uint64_t, Value>>::iterator>
        places_;
};

} // namespace

class TracePages::Impl {
public:
    Impl(const std::filesystem::path& file, std::int32_t ipus)
        : db(file, Database::Mode::ReadOnly)
        , ipuCount(ipus)
        , programAt(db)
        , outline(readOutline(db))
        , callItems(outline.bodies.size())
        , items(outline.bodies.size(), 0)
        , lanes(outline.bodies.size() * static_cast<std::size_t>(ipus))
        , totals(outline.bodies.size())
        , totalsKnown(outline.bodies.size(), false)
        , entriesOf(db.prepare("SELECT entries FROM trace_pages "
                               "WHERE body = ? AND ipu = ? AND page = ?"))
        , itemsOf(db.prepare("SELECT programs FROM trace_item_pages WHERE body = ? AND page = ?"))
        , kindOf(db.prepare("SELECT type, program FROM trace_steps "
                            "WHERE body = ? AND position = ?"))
        , timesOf(db.prepare(
              "SELECT ipu, start, cycles, active_tiles, active_cycles, bytes_in, bytes_out "
              "FROM trace_step_ipus WHERE body = ? AND position = ? ORDER BY ipu"))
        , timesOnIpu(db.prepare(
              "SELECT ipu, start, cycles, active_tiles, active_cycles, bytes_in, bytes_out "
              "FROM trace_step_ipus WHERE body = ? AND position = ? AND ipu = ?"))
        , kindsIn(db.prepare("SELECT position, type, program FROM trace_steps "
                             "WHERE body = ? AND position >= ? AND position < ? ORDER BY position"))
        , timesWithin(db.prepare(
              "SELECT ipu, start, cycles, active_tiles, active_cycles, bytes_in, bytes_out, "
              "position FROM trace_step_ipus "
              "WHERE body = ? AND position >= ? AND position < ? ORDER BY position, ipu")) {
        // The lock is taken once, not for each of the many small reads. Writing a profile replaces
        // the file and so is not held up.
        db.execute("PRAGMA locking_mode = EXCLUSIVE");
        readItemCounts();
        readLanes();
    }

    void readItemCounts() {
        Statement call = db.prepare("SELECT body, position FROM trace_calls ORDER BY 1, 2");
        while (call.step())
            element(callItems, call.integer(0))
                .push_back(static_cast<std::int32_t>(call.integer(1)));
        Statement row = db.prepare("SELECT body, sum(items) FROM trace_item_pages GROUP BY body");
        while (row.step())
            element(items, row.integer(0)) = row.integer(1);
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        for (std::size_t body = 0; body < items.size(); ++body) {
            if (items[body] < 0 || items[body] > most)
                damaged("has a body of an impossible length");
            const std::vector<std::int32_t>& calls = callItems[body];
            for (std::size_t i = 0; i < calls.size(); ++i)
                if (calls[i] < 0 || calls[i] >= items[body] || (i > 0 && calls[i] <= calls[i - 1]))
                    damaged("has a call at an impossible place");
        }
    }

    void readLanes() {
        Statement row =
            db.prepare("SELECT body, ipu, entries, sequential, summary FROM trace_lanes");
        while (row.step()) {
            element(items, row.integer(0));
            if (row.integer(1) < 0 || row.integer(1) >= ipuCount)
                damaged("names an IPU that does not exist");
            PagedLane& lane = lanes.at(placeOf(row.integer(0), row.integer(1)));
            const std::int64_t entries = row.integer(2);
            if (entries < 0 || entries > items.at(static_cast<std::size_t>(row.integer(0))))
                damaged("has more steps on an IPU than in total");
            lane.entries = static_cast<std::size_t>(entries);
            lane.sequential = row.integer(3) != 0;
            lane.summary =
                decodeSummary(row.blob(4), (lane.entries + entriesPerBlock - 1) / entriesPerBlock);
            for (const LaneBlock& block : lane.summary.blocks)
                for (const LaneBlock::Named& named : {block.first, block.last})
                    static_cast<void>(programAt.known(named.program));
        }
    }

    [[nodiscard]] std::size_t placeOf(std::int64_t body, std::int64_t ipu) const {
        return static_cast<std::size_t>(body) * static_cast<std::size_t>(ipuCount) +
               static_cast<std::size_t>(ipu);
    }

    /// `read` gives the blob's bytes under the lock, `decode` its content outside of it.
    template <class T, class Read, class Decode>
    std::shared_ptr<const std::vector<T>>
    cached(RecentlyUsed<std::shared_ptr<const std::vector<T>>>& known, std::uint64_t key, Read read,
           Decode decode, Keep keep = Keep::Yes) {
        std::vector<std::byte> bytes;
        {
            const std::lock_guard lock(mutex);
            if (auto value = known.find(key))
                return value;
            bytes = read();
            ++pagesRead;
        }
        auto value = std::make_shared<const std::vector<T>>(decode(bytes));
        if (keep == Keep::No)
            return value;
        const std::lock_guard lock(mutex);
        known.put(key, value);
        return value;
    }

    static std::vector<std::byte> blobOf(Statement& row) {
        if (!row.step())
            damaged("lacks a page");
        const std::span<const std::byte> blob = row.blob(0);
        std::vector<std::byte> bytes(blob.begin(), blob.end());
        row.reset();
        return bytes;
    }

    [[nodiscard]] StepOnIpu checkedTimesIn(const Statement& row) const {
        const StepOnIpu times = timesIn(row);
        if (!times.ipu.valid() || times.ipu.value() >= ipuCount)
            damaged("names an IPU that does not exist");
        constexpr std::int64_t latest = std::int64_t{1} << 61; // sums of two do not overflow
        if (times.start < 0 || times.cycles < 0 || times.start > latest || times.cycles > latest)
            damaged("has a step at an impossible time");
        return times;
    }

    /// Steps in a range of items, without their IPUs.
    void readKinds(StepRange& range) {
        // Neighbours are often of the same kind, whose name is looked up once.
        std::string name;
        ProgramKind kind = ProgramKind::OnTileExecute;
        while (kindsIn.step()) {
            if (std::string text = kindsIn.text(1); text != name) {
                kind = known(programKindFrom(text), kindsIn, 1);
                name = std::move(text);
            }
            range.steps.push_back({kindsIn.integer(0), kind, programAt(kindsIn, 2)});
        }
    }
    void readTimes(StepRange& range) {
        bool more = timesWithin.step();
        for (StepRange::Step& step : range.steps) {
            step.firstIpu = static_cast<std::uint32_t>(range.ipus.size());
            for (; more && timesWithin.integer(7) == step.item; more = timesWithin.step())
                range.ipus.push_back(checkedTimesIn(timesWithin));
            step.endIpu = static_cast<std::uint32_t>(range.ipus.size());
        }
        if (more)
            damaged("has times of a step that is not there");
    }

    [[nodiscard]] static StepOnIpu timesIn(const Statement& row) {
        return {idAt<IpuId>(row, 0), row.integer(1), row.integer(2), row.integer(3),
                row.integer(4),      row.integer(5), row.integer(6)};
    }

    std::mutex mutex; ///< guards the connection and what follows from it
    Database db;
    std::int32_t ipuCount = 0;
    References<ProgramId> programAt;
    Trace outline;
    std::vector<std::vector<std::int32_t>> callItems;
    std::vector<std::int64_t> items;
    std::vector<PagedLane> lanes; ///< [body * ipus + ipu]
    std::vector<std::vector<ProgramTotal>> totals;
    std::vector<bool> totalsKnown;
    Statement entriesOf;
    Statement itemsOf;
    Statement kindOf;
    Statement timesOf;
    Statement timesOnIpu;
    Statement kindsIn;
    Statement timesWithin;
    RecentlyUsed<Entries> entryPages;
    RecentlyUsed<Items> itemPages;
    std::int64_t pagesRead = 0;
};

std::shared_ptr<const TracePages> TracePages::open(const std::filesystem::path& file,
                                                   std::int32_t ipus) {
    {
        const Database db(file, Database::Mode::ReadOnly);
        if (db.integer("PRAGMA user_version") < firstVersionWithTracePages ||
            db.integer("SELECT EXISTS (SELECT 1 FROM trace_lanes)") == 0)
            return {};
    }
    return std::shared_ptr<const TracePages>(new TracePages(file, ipus));
}

TracePages::TracePages(const std::filesystem::path& file, std::int32_t ipus)
    : impl_(std::make_unique<Impl>(file, ipus)) {}
TracePages::~TracePages() = default;

const Trace& TracePages::outline() const {
    return impl_->outline;
}

std::int64_t TracePages::items(TraceBodyId body) const {
    return impl_->items.at(body.index());
}

const std::vector<std::int32_t>& TracePages::callItems(TraceBodyId body) const {
    return impl_->callItems.at(body.index());
}

const PagedLane& TracePages::lane(TraceBodyId body, IpuId ipu) const {
    return impl_->lanes.at(impl_->placeOf(body.value(), ipu.value()));
}

TracePages::Entries TracePages::page(TraceBodyId body, IpuId ipu, std::size_t page,
                                     Keep keep) const {
    const std::size_t place = impl_->placeOf(body.value(), ipu.value());
    const std::size_t all = impl_->lanes.at(place).entries;
    if (page * entriesPerPage >= all)
        damaged("lacks a page");
    const std::size_t count = std::min(entriesPerPage, all - page * entriesPerPage);
    const std::vector<TraceCall>& calls = impl_->outline.bodies[body].calls;
    return impl_->cached(
        impl_->entryPages, std::uint64_t{place} << 32 | page,
        [&] {
            impl_->entriesOf.bind(0, std::int64_t{body.value()})
                .bind(1, std::int64_t{ipu.value()})
                .bind(2, static_cast<std::int64_t>(page));
            return Impl::blobOf(impl_->entriesOf);
        },
        [&](const std::vector<std::byte>& bytes) {
            std::vector<LaneEntry> entries = decodeEntries(bytes, count, items(body), calls.size());
            for (LaneEntry& entry : entries) {
                static_cast<void>(impl_->programAt.known(entry.program));
                if (entry.call < 0)
                    continue;
                const auto& ipus = calls[static_cast<std::size_t>(entry.call)].ipus;
                const auto at = std::find_if(ipus.begin(), ipus.end(),
                                             [&](const CallOnIpu& on) { return on.ipu == ipu; });
                if (at == ipus.end())
                    damaged("calls a body on an IPU without a time");
                entry.onIpu = static_cast<std::int32_t>(at - ipus.begin());
            }
            return entries;
        },
        keep);
}

TracePages::Items TracePages::itemPage(TraceBodyId body, std::size_t page) const {
    const auto all = static_cast<std::size_t>(items(body));
    if (page * itemsPerPage >= all)
        damaged("lacks a page");
    const std::size_t count = std::min(itemsPerPage, all - page * itemsPerPage);
    return impl_->cached(
        impl_->itemPages, std::uint64_t(body.index()) << 32 | page,
        [&] {
            impl_->itemsOf.bind(0, std::int64_t{body.value()})
                .bind(1, static_cast<std::int64_t>(page));
            return Impl::blobOf(impl_->itemsOf);
        },
        [&](const std::vector<std::byte>& bytes) {
            auto items = decodeItems(bytes, count, impl_->outline.bodies[body].calls.size());
            for (const ItemContent& item : items)
                static_cast<void>(impl_->programAt.known(ProgramId(item.program)));
            return items;
        });
}

TraceStep TracePages::step(TraceBodyId body, std::int64_t item) const {
    const std::lock_guard lock(impl_->mutex);
    Statement& kind = impl_->kindOf;
    kind.bind(0, std::int64_t{body.value()}).bind(1, item);
    if (!kind.step())
        damaged("lacks a step");
    TraceStep step{valueAt<ProgramKind>(kind, 0), impl_->programAt(kind, 1), {}};
    kind.reset();
    Statement& times = impl_->timesOf;
    times.bind(0, std::int64_t{body.value()}).bind(1, item);
    while (times.step()) {
        step.ipus.push_back(Impl::timesIn(times));
        const IpuId ipu = step.ipus.back().ipu;
        if (!ipu.valid() || ipu.value() >= impl_->ipuCount) {
            times.reset();
            damaged("names an IPU that does not exist");
        }
    }
    times.reset();
    return step;
}

StepOnIpu TracePages::stepOn(TraceBodyId body, std::int64_t item, IpuId ipu) const {
    const std::lock_guard lock(impl_->mutex);
    Statement& times = impl_->timesOnIpu;
    times.bind(0, std::int64_t{body.value()}).bind(1, item).bind(2, std::int64_t{ipu.value()});
    StepOnIpu on;
    on.ipu = ipu;
    if (times.step())
        on = Impl::timesIn(times);
    times.reset();
    return on;
}

StepRange TracePages::steps(TraceBodyId body, std::int64_t from, std::int64_t end) const {
    const std::lock_guard lock(impl_->mutex);
    StepRange range;
    for (Statement* statement : {&impl_->kindsIn, &impl_->timesWithin}) {
        statement->reset();
        statement->bind(0, std::int64_t{body.value()}).bind(1, from).bind(2, end);
    }
    impl_->readKinds(range);
    impl_->readTimes(range);
    impl_->kindsIn.reset();
    impl_->timesWithin.reset();
    return range;
}

const std::vector<ProgramTotal>& TracePages::totals(TraceBodyId body) const {
    const std::lock_guard lock(impl_->mutex);
    std::vector<ProgramTotal>& totals = impl_->totals.at(body.index());
    if (impl_->totalsKnown[body.index()])
        return totals;
    Statement row = impl_->db.prepare(
        "SELECT program, count, cycles FROM trace_program_totals WHERE body = ? ORDER BY program");
    row.bind(0, std::int64_t{body.value()});
    std::vector<ProgramTotal> read;
    while (row.step()) {
        read.push_back({impl_->programAt(row, 0), row.integer(1), row.integer(2)});
        if (read.back().count < 0 || read.back().cycles < 0)
            damaged("has a negative count");
    }
    totals = std::move(read);
    impl_->totalsKnown[body.index()] = true;
    return totals;
}

std::vector<IpuTotal> TracePages::ipuTotals(TraceBodyId body) const {
    const std::lock_guard lock(impl_->mutex);
    const bool summed = impl_->db.integer("PRAGMA user_version") >= firstVersionWithIpuTotals;
    Statement row = impl_->db.prepare(
        summed ? "SELECT program, ipu, count, cycles FROM trace_ipu_totals WHERE body = ?"
               : "SELECT s.program, t.ipu, count(*), sum(t.cycles) FROM trace_steps s "
                 "JOIN trace_step_ipus t ON t.body = s.body AND t.position = s.position "
                 "WHERE s.body = ? AND s.program IS NOT NULL GROUP BY s.program, t.ipu");
    row.bind(0, std::int64_t{body.value()});
    std::vector<IpuTotal> totals;
    while (row.step()) {
        const std::int64_t ipu = row.integer(1);
        if (ipu < 0 || ipu >= impl_->ipuCount || row.integer(2) < 0 || row.integer(3) < 0)
            damaged("has totals of an IPU that it lacks");
        totals.push_back({impl_->programAt(row, 0), IpuId(static_cast<std::int32_t>(ipu)),
                          row.integer(2), row.integer(3)});
    }
    return totals;
}

std::int64_t TracePages::pagesRead() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->pagesRead;
}

} // namespace tilescope
