#include "core/trace/trace_pages.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "core/base/saturating.h"
#include "core/trace/recently_used.h"
#include "core/trace/trace_reader.h"
#include "core/trace/trace_tables.h"

namespace tilescope {
namespace {

// A page of entries takes 40 KB in memory; all kept pages stay below 16 MB, which is several for
// each of 64 IPUs.
constexpr std::size_t pagesKept = 400;
// Amounts are looked at one IPU after the other.
constexpr std::size_t amountPagesKept = 16;

} // namespace

class TracePages::Impl {
public:
    Impl(Database file, std::int32_t ipus)
        : db(std::move(file))
        , ipuCount(ipus)
        , version(db.integer("PRAGMA user_version"))
        , programAt(db)
        , entriesOf(db.prepare(version >= firstVersionWithAmounts
                                   ? "SELECT body, ipu, page, entries FROM trace_pages WHERE id = ?"
                                   : "SELECT body, ipu, page, entries FROM trace_pages "
                                     "WHERE body = ? AND ipu = ? AND page = ?"))
        , summaryAt(db.prepare("SELECT summary FROM trace_lanes WHERE body = ? AND ipu = ?"))
        , itemsOf(db.prepare("SELECT programs FROM trace_item_pages WHERE body = ? AND page = ?"))
        , timesOnIpu(db.prepare(
              "SELECT ipu, start, cycles, active_tiles, active_cycles, bytes_in, bytes_out "
              "FROM trace_step_ipus WHERE body = ? AND position = ? AND ipu = ?"))
        , kindsIn(db.prepare("SELECT position, type, program FROM trace_steps "
                             "WHERE body = ? AND position >= ? AND position < ? ORDER BY position"))
        , timesWithin(db.prepare(
              "SELECT ipu, start, cycles, active_tiles, active_cycles, bytes_in, bytes_out, "
              "position FROM trace_step_ipus "
              "WHERE body = ? AND position >= ? AND position < ? ORDER BY position, ipu")) {
        if (version >= firstVersionWithAmounts)
            amountsOf.emplace(
                db.prepare("SELECT body, ipu, page, amounts FROM trace_pages WHERE id = ?"));
        // The lock is taken once, not for each of the many small reads. Writing a profile replaces
        // the file and so is not held up.
        db.execute("PRAGMA locking_mode = EXCLUSIVE");
        // KiB: rows are so long that few fit on an inner page of their tree. All of those of ten
        // million steps fit in; otherwise they are read anew with each page of entries.
        db.execute("PRAGMA cache_size = -16000");
    }

    [[nodiscard]] std::vector<BodyItems> readItems(std::size_t bodies) const {
        std::vector<BodyItems> items(bodies);
        Statement call = db.prepare("SELECT body, position FROM trace_calls ORDER BY 1, 2");
        while (call.step())
            element(items, call.integer(0))
                .calls.push_back(static_cast<std::int32_t>(call.integer(1)));
        Statement row = db.prepare("SELECT body, sum(items) FROM trace_item_pages GROUP BY body");
        while (row.step())
            element(items, row.integer(0)).count = row.integer(1);
        constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
        for (const auto& [count, calls] : items) {
            if (count < 0 || count > most)
                damaged("has a body of an impossible length");
            for (std::size_t i = 0; i < calls.size(); ++i)
                if (calls[i] < 0 || calls[i] >= count || (i > 0 && calls[i] <= calls[i - 1]))
                    damaged("has a call at an impossible place");
        }
        return items;
    }

    /// [body * ipus + ipu]
    [[nodiscard]] std::vector<Lane> readLanes(const std::vector<BodyItems>& items) {
        std::vector<Lane> lanes(items.size() * static_cast<std::size_t>(ipuCount));
        firstPages.resize(lanes.size());
        const References<TraceBodyId> bodyAt(std::ssize(items));
        summaries.resize(lanes.size());
        const bool hasTotals = version >= firstVersionWithLaneTotals;
        Statement row = db.prepare(
            hasTotals ? "SELECT body, ipu, entries, sequential, first_page, cycles, total FROM "
                        "trace_lanes"
            : version >= firstVersionWithAmounts
                ? "SELECT body, ipu, entries, sequential, first_page, 0, summary FROM trace_lanes"
                : "SELECT body, ipu, entries, sequential, 0, 0, summary FROM trace_lanes");
        while (row.step()) {
            const auto body = bodyAt.required(row, 0);
            const auto ipu = idAt<IpuId>(row, 1);
            checkIpu(ipu, ipuCount);
            const std::size_t place =
                body.index() * static_cast<std::size_t>(ipuCount) + ipu.index();
            Lane& lane = lanes[place];
            firstPages[place] = row.integer(4);
            const std::int64_t entries = row.integer(2);
            if (entries < 0 || entries > items[body.index()].count)
                damaged("has more steps on an IPU than in total");
            lane.count = static_cast<std::size_t>(entries);
            lane.sequential = row.integer(3) != 0;
            if (hasTotals) {
                lane.length = row.integer(5);
                checkCycles(0, lane.length);
                lane.total = decodeTotal(row.blob(6));
                if (lane.count == 0 && (lane.length != 0 || lane.total != TraceSums()))
                    damaged("has a lane without steps that takes time");
                continue;
            }
            LaneSummary summary = summaryOf(row.blob(6), lane.count);
            lane.length = summary.blocks.empty() ? 0 : summary.blocks.back().maxEnd;
            lane.total = summary.total;
            summaries[place] =
                std::make_unique<const std::vector<LaneBlock>>(std::move(summary.blocks));
        }
        return lanes;
    }

    [[nodiscard]] LaneSummary summaryOf(std::span<const std::byte> data, std::size_t count) const {
        LaneSummary summary = decodeSummary(data, blocksOf(count));
        for (const LaneBlock& block : summary.blocks)
            for (const LaneBlock::Named& named : {block.first, block.last})
                static_cast<void>(programAt.known(named.program));
        return summary;
    }

    /// Its length and sums must be those that the file has beside it.
    [[nodiscard]] std::vector<LaneBlock> readSummary(TraceBodyId body, IpuId ipu,
                                                     const Lane& lane) {
        if (lane.count == 0)
            return {};
        std::vector<std::byte> bytes;
        {
            const std::lock_guard lock(mutex);
            summaryAt.bind(0, std::int64_t{body.value()}).bind(1, std::int64_t{ipu.value()});
            bytes = blobOf(summaryAt);
            ++summariesRead;
        }
        LaneSummary summary = summaryOf(bytes, lane.count);
        if (summary.blocks.back().maxEnd != lane.length || summary.total != lane.total)
            damaged("has a lane that contradicts its summary");
        return std::move(summary.blocks);
    }

    /// `read` gives the blob's bytes under the lock, `decode` its content outside of it.
    template <class T, class Read, class Decode>
    std::shared_ptr<const std::vector<T>> cached(RecentlyUsed<T>& known, std::uint64_t key,
                                                 Read read, Decode decode, Keep keep = Keep::Yes) {
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

    /// Reads a part of a page of a lane.
    std::vector<std::byte> pageOf(Statement& row, TraceBodyId body, IpuId ipu, std::size_t page) {
        const auto number = static_cast<std::int64_t>(page);
        const std::size_t place = body.index() * static_cast<std::size_t>(ipuCount) + ipu.index();
        if (version >= firstVersionWithAmounts)
            row.bind(0, saturatingSum(firstPages[place], number));
        else
            row.bind(0, std::int64_t{body.value()})
                .bind(1, std::int64_t{ipu.value()})
                .bind(2, number);
        if (!row.step() || row.integer(0) != body.value() || row.integer(1) != ipu.value() ||
            row.integer(2) != number) {
            row.reset();
            damaged("lacks a page");
        }
        return blobAt(row, 3);
    }

    static std::vector<std::byte> blobAt(Statement& row, int column) {
        const std::span<const std::byte> blob = row.blob(column);
        std::vector<std::byte> bytes(blob.begin(), blob.end());
        row.reset();
        return bytes;
    }

    static std::vector<std::byte> blobOf(Statement& row) {
        if (!row.step())
            damaged("lacks a page");
        return blobAt(row, 0);
    }

    [[nodiscard]] StepOnIpu timesIn(const Statement& row) const {
        const StepOnIpu times{idAt<IpuId>(row, 0), row.integer(1), row.integer(2), row.integer(3),
                              row.integer(4),      row.integer(5), row.integer(6)};
        checkIpu(times.ipu, ipuCount);
        checkCycles(times.start, times.cycles);
        return times;
    }

    /// Steps in a range of items, without their IPUs.
    void readKinds(StepRange& range) {
        // Neighbours are often of the same kind, whose name is looked up once.
        std::string name;
        ProgramKind kind = ProgramKind::OnTileExecute;
        while (kindsIn.step()) {
            if (std::string text = kindsIn.text(1); text != name) {
                kind = valueAt<ProgramKind>(kindsIn, 1);
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
                range.ipus.push_back(timesIn(timesWithin));
            step.endIpu = static_cast<std::uint32_t>(range.ipus.size());
        }
        if (more)
            damaged("has times of a step that is not there");
    }

    std::mutex mutex; ///< guards the connection and what follows from it
    Database db;
    std::int32_t ipuCount = 0;
    std::int64_t version = 0;
    References<ProgramId> programAt;
    Statement entriesOf;
    std::optional<Statement> amountsOf;   ///< none in older files
    std::vector<std::int64_t> firstPages; ///< [body * ipus + ipu]
    Statement summaryAt;
    /// [body * ipus + ipu]; none before it is asked for
    std::vector<std::unique_ptr<const std::vector<LaneBlock>>> summaries;
    std::int64_t summariesRead = 0;
    Statement itemsOf;
    Statement timesOnIpu;
    Statement kindsIn;
    Statement timesWithin;
    RecentlyUsed<LaneEntry> entryPages{pagesKept};
    RecentlyUsed<ItemContent> itemPages{pagesKept};
    RecentlyUsed<StepAmounts> amountPages{amountPagesKept};
    std::int64_t pagesRead = 0;
};

bool hasTracePages(const Database& db) {
    return db.integer("PRAGMA user_version") >= firstVersionWithTracePages &&
           db.integer("SELECT EXISTS (SELECT 1 FROM trace_lanes)") != 0;
}

std::shared_ptr<const TracePages> TracePages::open(const std::filesystem::path& file,
                                                   std::int32_t ipus) {
    Database db(file, Database::Mode::ReadOnly);
    if (!hasTracePages(db))
        return {};
    return std::shared_ptr<const TracePages>(new TracePages(std::move(db), ipus));
}

TracePages::TracePages(Database file, std::int32_t ipus)
    : TraceLanes(ipus)
    , impl_(std::make_unique<Impl>(std::move(file), ipus)) {
    const auto outline = std::make_shared<const Trace>(readOutline(impl_->db));
    const std::vector<BodyItems> items = impl_->readItems(outline->bodies.size());
    std::vector<Lane> all = impl_->readLanes(items);
    build(outline, items, [&](TraceBodyId body, std::span<Lane> lanes) {
        const auto first = static_cast<std::ptrdiff_t>(placeOf(body, IpuId(0)));
        std::move(all.begin() + first, all.begin() + first + std::ssize(lanes), lanes.begin());
    });
}

TracePages::~TracePages() = default;

const std::vector<LaneBlock>& TracePages::blocks(TraceBodyId body, IpuId ipu) const {
    std::unique_ptr<const std::vector<LaneBlock>>& kept = impl_->summaries.at(placeOf(body, ipu));
    {
        const std::lock_guard lock(impl_->mutex);
        if (kept)
            return *kept;
    }
    auto read = std::make_unique<const std::vector<LaneBlock>>(
        impl_->readSummary(body, ipu, lane(body, ipu)));
    const std::lock_guard lock(impl_->mutex);
    if (!kept) // another thread may have been faster
        kept = std::move(read);
    return *kept;
}

TracePage<LaneEntry> TracePages::entries(TraceBodyId body, IpuId ipu, std::size_t entry,
                                         Keep keep) const {
    const std::size_t page = entry / entriesPerPage;
    const std::size_t first = page * entriesPerPage;
    const std::size_t all = lane(body, ipu).count;
    if (entry >= all)
        damaged("lacks a page");
    const std::vector<TraceCall>& calls = outline().bodies[body].calls;
    const auto read = [&] { return impl_->pageOf(impl_->entriesOf, body, ipu, page); };
    const auto decode = [&](const std::vector<std::byte>& bytes) {
        std::vector<LaneEntry> entries =
            decodeEntries(bytes, std::min(entriesPerPage, all - first),
                          static_cast<std::int64_t>(order(body).items()), calls.size());
        for (LaneEntry& of : entries) {
            static_cast<void>(impl_->programAt.known(of.program));
            if (of.call < 0)
                continue;
            const auto& ipus = calls[static_cast<std::size_t>(of.call)].ipus;
            const auto at = std::find_if(ipus.begin(), ipus.end(),
                                         [&](const CallOnIpu& on) { return on.ipu == ipu; });
            if (at == ipus.end())
                damaged("calls a body on an IPU without a time");
            of.onIpu = static_cast<std::int32_t>(at - ipus.begin());
        }
        return entries;
    };
    return {first, impl_->cached(impl_->entryPages, keyOf(body, ipu, page), read, decode, keep)};
}

bool TracePages::knowsWaiting() const {
    return impl_->version >= firstVersionWithAmounts;
}

TracePage<StepAmounts> TracePages::amounts(TraceBodyId body, IpuId ipu, std::size_t entry) const {
    if (!impl_->amountsOf)
        return TraceLanes::amounts(body, ipu, entry);
    const std::size_t page = entry / entriesPerPage;
    const std::size_t first = page * entriesPerPage;
    const TracePage<LaneEntry> of = entries(body, ipu, first, Keep::Yes);
    const std::span<const LaneEntry> steps(&of.at(first),
                                           std::min(entriesPerPage, lane(body, ipu).count - first));
    const auto read = [&] { return impl_->pageOf(*impl_->amountsOf, body, ipu, page); };
    const auto decode = [&](const std::vector<std::byte>& bytes) {
        return decodeAmounts(bytes, steps);
    };
    return {first, impl_->cached(impl_->amountPages, keyOf(body, ipu, page), read, decode)};
}

TracePage<ItemContent> TracePages::items(TraceBodyId body, std::size_t item) const {
    const std::size_t page = item / itemsPerPage;
    const std::size_t first = page * itemsPerPage;
    const std::size_t all = order(body).items();
    if (item >= all)
        damaged("lacks a page");
    const auto read = [&] {
        impl_->itemsOf.bind(0, std::int64_t{body.value()}).bind(1, static_cast<std::int64_t>(page));
        return Impl::blobOf(impl_->itemsOf);
    };
    const auto decode = [&](const std::vector<std::byte>& bytes) {
        auto items = decodeItems(bytes, std::min(itemsPerPage, all - first),
                                 outline().bodies[body].calls.size());
        for (const ItemContent& of : items)
            static_cast<void>(impl_->programAt.known(ProgramId(of.program)));
        return items;
    };
    const std::uint64_t key = std::uint64_t{body.index()} << 32 | page;
    return {first, impl_->cached(impl_->itemPages, key, read, decode)};
}

StepOnIpu TracePages::stepOn(TraceBodyId body, IpuId ipu, const LaneEntry& entry) const {
    const std::lock_guard lock(impl_->mutex);
    Statement& times = impl_->timesOnIpu;
    times.reset();
    times.bind(0, std::int64_t{body.value()})
        .bind(1, std::int64_t{entry.item})
        .bind(2, std::int64_t{ipu.value()});
    StepOnIpu on;
    on.ipu = ipu;
    if (times.step())
        on = impl_->timesIn(times);
    times.reset();
    return on;
}

StepRange TracePages::steps(TraceBodyId body, std::size_t from, std::size_t end) const {
    const std::lock_guard lock(impl_->mutex);
    StepRange range;
    for (Statement* statement : {&impl_->kindsIn, &impl_->timesWithin}) {
        statement->reset();
        statement->bind(0, std::int64_t{body.value()})
            .bind(1, static_cast<std::int64_t>(from))
            .bind(2, static_cast<std::int64_t>(end));
    }
    impl_->readKinds(range);
    impl_->readTimes(range);
    impl_->kindsIn.reset();
    impl_->timesWithin.reset();
    return range;
}

std::vector<ProgramTotal> TracePages::makeTotals(TraceBodyId body) const {
    const std::lock_guard lock(impl_->mutex);
    Statement row = impl_->db.prepare(
        "SELECT program, count, cycles FROM trace_program_totals WHERE body = ? ORDER BY program");
    row.bind(0, std::int64_t{body.value()});
    std::vector<ProgramTotal> totals;
    while (row.step()) {
        totals.push_back({impl_->programAt(row, 0), row.integer(1), row.integer(2)});
        if (totals.back().count < 0 || totals.back().cycles < 0)
            damaged("has a negative count");
    }
    return totals;
}

std::vector<IpuTotal> TracePages::ipuTotals(TraceBodyId body) const {
    const std::lock_guard lock(impl_->mutex);
    const bool summed = impl_->version >= firstVersionWithIpuTotals;
    Statement row = impl_->db.prepare(
        summed ? "SELECT program, ipu, count, cycles FROM trace_ipu_totals WHERE body = ?"
               : "SELECT s.program, t.ipu, count(*), sum(t.cycles) FROM trace_steps s "
                 "JOIN trace_step_ipus t ON t.body = s.body AND t.position = s.position "
                 "WHERE s.body = ? AND s.program IS NOT NULL GROUP BY s.program, t.ipu");
    row.bind(0, std::int64_t{body.value()});
    std::vector<IpuTotal> totals;
    while (row.step()) {
        totals.push_back(
            {impl_->programAt(row, 0), idAt<IpuId>(row, 1), row.integer(2), row.integer(3)});
        checkIpu(totals.back().ipu, ipus());
        if (totals.back().count < 0 || totals.back().cycles < 0)
            damaged("has a negative count");
    }
    return totals;
}

std::int64_t TracePages::summariesRead() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->summariesRead;
}

std::int64_t TracePages::pagesRead() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->pagesRead;
}

} // namespace tilescope
