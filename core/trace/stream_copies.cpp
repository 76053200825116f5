
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/database/database.h"
#include "core/database/insert.h"
#include "core/database/row_access.h"
#include "core/tiles/varint.h"
#include "core/trace/trace_reader.h"
#include "core/trace/trace_tables.h"

namespace tilescope {
namespace {

// Must equal the index's condition word for word, or SQLite does not use the index.
constexpr std::string_view streamCopyCondition =
    "type IN ('StreamCopyBegin', 'StreamCopyMid', 'StreamCopyEnd')";

void addCalls(Trace& trace) {
    for (TraceBody& body : trace.bodies)
        for (std::size_t i = 0; i < body.calls.size(); ++i)
            body.items.push_back({-1, static_cast<std::int32_t>(i)});
}

void addSteps(const Database& db, Trace& trace) {
    const References<ProgramId> programAt(db);
    // The outer loop is over the copies, whatever SQLite estimates their number to be.
    Statement row = db.prepare(
        fmt::format("SELECT s.body, s.position, type, program, ipu, start, cycles, active_tiles, "
                    "active_cycles, bytes_in, bytes_out FROM (SELECT body, position, type, program "
                    "FROM trace_steps WHERE {} ORDER BY body, position) s "
                    "CROSS JOIN trace_step_ipus i ON i.body = s.body AND i.position = s.position "
                    "ORDER BY s.body, s.position",
                    streamCopyCondition));
    std::pair<std::int64_t, std::int64_t> at{-1, -1};
    while (row.step()) {
        TraceBody& body = element(trace.bodies, row.integer(0));
        if (const std::pair place{row.integer(0), row.integer(1)}; place != at) {
            body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
            body.steps.push_back({valueAt<ProgramKind>(row, 2), programAt(row, 3), {}});
            at = place;
        }
        body.steps.back().ipus.push_back({idAt<IpuId>(row, 4), row.integer(5), row.integer(6),
                                          row.integer(7), row.integer(8), row.integer(9),
                                          row.integer(10)});
    }
}

constexpr std::size_t copiesPerPage = 1024;

/// A step of a body that is a stream copy.
struct PlacedCopy {
    std::int64_t position = 0; ///< among the items of the body
    std::int32_t step = 0;     ///< of the body
};

bool isCopy(const TraceBody& body, const TraceItem& item) {
    return item.step >= 0 && isStreamCopy(body.steps[static_cast<std::size_t>(item.step)].kind);
}

std::vector<PlacedCopy> copiesOf(const TraceBody& body) {
    std::vector<PlacedCopy> copies;
    for (std::size_t i = 0; i < body.items.size(); ++i)
        if (isCopy(body, body.items[i]))
            copies.push_back({static_cast<std::int64_t>(i), body.items[i].step});
    return copies;
}

std::int64_t streamCopiesIn(const Trace& trace) {
    std::int64_t copies = 0;
    for (const TraceBody& body : trace.bodies)
        copies += std::count_if(body.items.begin(), body.items.end(),
                                [&](const TraceItem& item) { return isCopy(body, item); });
    return copies;
}

/// Numbers are differences to those before: positions and starts rise, programs recur.
std::vector<std::byte> encodeCopies(const TraceBody& body, std::span<const PlacedCopy> copies) {
    std::vector<std::byte> out;
    std::int64_t position = 0;
    std::int64_t start = 0;
    std::int64_t program = 0;
    for (const PlacedCopy& copy : copies) {
        const TraceStep& step = body.steps[static_cast<std::size_t>(copy.step)];
        putVarint(out, static_cast<std::uint64_t>(copy.position - position));
        putVarint(out, static_cast<std::uint64_t>(step.kind));
        putVarint(out, zigzag(step.program.value() - program));
        putVarint(out, step.ipus.size());
        for (const StepOnIpu& on : step.ipus) {
            putVarint(out, static_cast<std::uint64_t>(on.ipu.value()));
            putVarint(out, zigzag(on.start - start));
            for (const std::int64_t amount :
                 {on.cycles, on.activeTiles, on.activeCycles, on.bytesIn, on.bytesOut})
                putVarint(out, zigzag(amount));
            start = on.start;
        }
        position = copy.position;
        program = step.program.value();
    }
    return out;
}

[[noreturn]] void throwDamaged() {
    throw DamagedProfile("a page of stream copies cannot be read");
}

/// As wide as it is stored, whatever that is: what follows checks it as it checks rows.
std::int64_t sumOf(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

template <class IdType> IdType idOf(std::int64_t value) {
    if (value < IdType().value() || value > std::numeric_limits<std::int32_t>::max())
        throwDamaged();
    return IdType(static_cast<std::int32_t>(value));
}

/// Adds the copies of a page to their body.
void addPage(std::span<const std::byte> page, std::int64_t copies,
             const References<ProgramId>& programs, TraceBody& body) {
    if (copies < 0 || copies > static_cast<std::int64_t>(copiesPerPage))
        throwDamaged();
    VarintReader reader(page);
    std::int64_t start = 0;
    std::int64_t program = 0;
    for (std::int64_t copy = 0; copy < copies; ++copy) {
        reader.next(); // where it is among the items: copies are in order, which suffices
        const std::uint64_t kind = reader.next();
        if (kind >= programKinds.size() ||
            !isStreamCopy(programKinds[static_cast<std::size_t>(kind)]))
            throwDamaged();
        program = sumOf(program, reader.nextSigned());
        TraceStep step{programKinds[static_cast<std::size_t>(kind)],
                       programs.known(idOf<ProgramId>(program)),
                       {}};
        constexpr std::size_t fewestBytes = 7; // of a copy on an IPU
        const std::uint64_t ipus = reader.next();
        if (ipus > reader.remaining() / fewestBytes)
            throwDamaged();
        step.ipus.reserve(ipus);
        for (std::uint64_t i = 0; i < ipus; ++i) {
            StepOnIpu on;
            on.ipu = idOf<IpuId>(static_cast<std::int64_t>(reader.next()));
            on.start = start = sumOf(start, reader.nextSigned());
            on.cycles = reader.nextSigned();
            for (std::int64_t* amount :
                 {&on.activeTiles, &on.activeCycles, &on.bytesIn, &on.bytesOut})
                *amount = reader.nextSigned();
            step.ipus.push_back(on);
        }
        body.items.push_back({static_cast<std::int32_t>(body.steps.size()), -1});
        body.steps.push_back(std::move(step));
    }
    if (!reader.atEnd())
        throwDamaged();
}

/// From the pages of a long trace; none if there are too many.
std::optional<Trace> fromPages(const Database& db) {
    if (db.integer("SELECT CAST(total(copies) AS INTEGER) FROM trace_stream_copies") >
        mostStreamCopies)
        return {};
    Trace trace = readOutline(db);
    addCalls(trace);
    const References<ProgramId> programs(db);
    Statement row =
        db.prepare("SELECT body, copies, steps FROM trace_stream_copies ORDER BY body, page");
    while (row.step())
        addPage(row.blob(2), row.integer(1), programs, element(trace.bodies, row.integer(0)));
    return trace;
}

} // namespace

void writeStreamCopies(const Database& db, const Trace& trace) {
    Insert pageRow(db, "trace_stream_copies");
    const bool tooMany = streamCopiesIn(trace) > mostStreamCopies;
    for (std::size_t at = 0; at < trace.bodies.size(); ++at) {
        const TraceBody& body = trace.bodies[TraceBodyId(at)];
        const std::vector<PlacedCopy> copies = copiesOf(body);
        for (std::size_t first = 0; first < copies.size(); first += copiesPerPage) {
            const auto page =
                std::span(copies).subspan(first, std::min(copiesPerPage, copies.size() - first));
            // Of too many only the number is read.
            pageRow(TraceBodyId(at), first / copiesPerPage, page.size(),
                    tooMany ? std::vector<std::byte>() : encodeCopies(body, page));
        }
    }
}

std::optional<Trace> readStreamCopies(const std::filesystem::path& file) {
    const Database db(file, Database::Mode::ReadOnly);
    const std::int64_t version = db.integer("PRAGMA user_version");
    if (version < firstVersionWithStreamIndex && hasTracePages(db))
        return {};
    if (version >= firstVersionWithStreamCopies && hasTracePages(db))
        return fromPages(db);
    if (db.integer(fmt::format("SELECT count(*) FROM trace_steps WHERE {}", streamCopyCondition)) >
        mostStreamCopies)
        return {};
    Trace trace = readOutline(db);
    addCalls(trace);
    addSteps(db, trace);
    return trace;
}

} // namespace tilescope
