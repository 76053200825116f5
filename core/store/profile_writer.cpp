#include "core/store/profile_writer.h"

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/database/database.h"
#include "core/store/host_store.h"
#include "core/store/info_fields.h"
#include "core/store/model_graph_store.h"
#include "core/store/pipeline_store.h"
#include "core/store/placement_codec.h"
#include "core/store/remote_store.h"
#include "core/store/schema.h"
#include "core/trace/trace_page_writer.h"

namespace tilescope {
namespace {

/// Binds one value after the other; an id of "none" becomes NULL.
class Row {
public:
    explicit Row(Statement& statement)
        : statement_(statement) {}
    Row& operator<<(std::int64_t value) { return statement_.bind(at_++, value), *this; }
    Row& operator<<(double value) { return statement_.bind(at_++, value), *this; }
    Row& operator<<(std::string_view value) { return statement_.bind(at_++, value), *this; }
    Row& operator<<(bool value) { return *this << std::int64_t{value}; }
    Row& operator<<(const TileSeries& series) {
        const std::vector<std::byte> blob = series.encode();
        statement_.bind(at_++, std::span<const std::byte>(blob));
        return *this;
    }
    template <class Tag> Row& operator<<(Id<Tag> id) {
        if (id.valid())
            return *this << std::int64_t{id.value()};
        statement_.bindNull(at_++);
        return *this;
    }
    void write() { statement_.run(); }

private:
    Statement& statement_;
    int at_ = 0;
};

class Writer {
public:
    Writer(const Profile& profile, const Database& db)
        : profile_(profile)
        , db_(db) {}

    void writeAll() {
        writeInfo();
        writeMessagesAndOperations();
        writeModelGraph(db_, profile_.modelGraph, profile_.operations);
        writeVariables();
        writeComputeSets();
        writeExchangesAndStreams();
        writeCopies();
        writePrograms();
        writeLiveness();
        writeMemory();
        writePlacements();
        writeTrace();
        writeTracePages(db_, profile_.trace, profile_.info.target.ipus);
        writePipeline(db_, profile_.pipeline);
        writeRemote(db_, profile_.remoteBuffers, profile_.phases);
        writeHostSpans(db_, profile_.hostSpans);
    }

private:
    [[nodiscard]] Statement insert(std::string_view table, int columns) const {
        std::string marks = "?";
        for (int i = 1; i < columns; ++i)
            marks += ",?";
        return db_.prepare(fmt::format("INSERT INTO {} VALUES({})", table, marks));
    }

    void writeInfo() {
        Statement row = insert("info", 2);
        visitInfoFields(profile_.info, [&](std::string_view key, const auto& value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::string>)
                (Row(row) << key << std::string_view(value)).write();
            else if constexpr (std::is_same_v<Value, double>)
                (Row(row) << key << value).write();
            else
                (Row(row) << key << static_cast<std::int64_t>(value)).write();
        });
        const auto writeMap = [&](const std::string& prefix, const auto& map) {
            for (const auto& [key, value] : map)
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>)
                    (Row(row) << std::string_view(prefix + key) << value).write();
                else
                    (Row(row) << std::string_view(prefix + key) << std::string_view(value)).write();
        };
        (Row(row) << sealedKey << true).write();
        writeMap("option.", profile_.info.options);
        writeMap("engine.", profile_.info.engineOptions);
        writeMap("timing.", profile_.info.timings);
    }

    void writeMessagesAndOperations() {
        Statement message = insert("messages", 4);
        for (std::size_t i = 0; i < profile_.messages.size(); ++i) {
            const Message& m = profile_.messages[i];
            (Row(message) << number(i) << toString(m.severity) << m.text << m.operation).write();
        }
        Statement row = insert("operations", 7);
        std::int64_t id = 0;
        for (const Operation& op : profile_.operations)
            (Row(row) << id++ << op.name << op.type << op.flops << op.outputShape << op.plan
                      << op.options)
                .write();
    }

    void writeVariables() {
        Statement category = insert("var_categories", 2);
        for (const MemoryCategory c : memoryCategories)
            (Row(category) << static_cast<std::int64_t>(c) << toString(c)).write();
        Statement row = insert("variables", 11);
        Statement tiles = insert("variable_tiles", 4);
        std::int64_t id = 0;
        for (const Variable& v : profile_.variables) {
            const TileSeries::Peak peak = v.bytes.max();
            (Row(row) << id << v.name << static_cast<std::int64_t>(v.category) << v.operation
                      << v.alwaysLive << v.liveness << v.type << v.shape << v.bytes.sum()
                      << peak.value << peak.tile)
                .write();
            for (const TileRun& run : v.bytes.runs())
                (Row(tiles) << id << std::int64_t{run.first} << std::int64_t{run.tiles()}
                            << run.value)
                    .write();
            ++id;
        }
    }

    void writeComputeSets() {
        Statement type = insert("vertex_types", 4);
        std::int64_t typeId = 0;
        for (const VertexType& t : profile_.vertexTypes)
            (Row(type) << typeId++ << t.name << t.codeBytes.sum() << t.codeBytes).write();
        Statement row = insert("compute_sets", 5);
        Statement instances = insert("vertex_instances", 7);
        std::int64_t id = 0;
        for (const ComputeSet& cs : profile_.computeSets) {
            (Row(row) << id << cs.name << cs.operation << cs.cycles.max().value << cs.cycles)
                .write();
            for (const VertexInstances& v : cs.vertices)
                (Row(instances) << id << v.type << v.count.sum() << v.stateBytes.sum()
                                << std::int64_t{v.edgesPerVertex} << v.count << v.stateBytes)
                    .write();
            ++id;
        }
    }

    void writeExchangesAndStreams() {
        Statement row = insert("exchanges", 11);
        std::int64_t id = 0;
        for (const Exchange& e : profile_.exchanges)
            (Row(row) << id++ << e.name << e.operation << e.bytesReceived.sum()
                      << e.cycles.max().value << e.codeBytes.sum() << e.runBytes << e.bytesReceived
                      << e.bytesSent << e.codeBytes << e.cycles)
                .write();
        Statement stream = insert("streams", 6);
        std::int64_t streamId = 0;
        for (const Stream& s : profile_.streams)
            (Row(stream) << streamId++ << s.name << s.toDevice << s.bytes.sum() << s.bytes
                         << s.remoteBuffer)
                .write();
    }

    void writeCopies() {
        Statement row = insert("copies", 14);
        std::int64_t id = 0;
        for (const Copy& c : profile_.copies)
            (Row(row) << id++ << c.computeSet << c.program << c.exchange << c.variable << c.result
                      << toString(c.cause) << c.shape << c.sourceOrder << c.wantedOrder
                      << c.runElements << c.runBytes << c.strided << c.transposed)
                .write();
    }

    void writePrograms() {
        std::vector<std::int64_t> position(profile_.programs.size(), 0);
        for (const Program& p : profile_.programs)
            for (std::size_t i = 0; i < p.children.size(); ++i)
                position.at(p.children[i].index()) = number(i);
        Statement row = insert("programs", 13);
        Statement variable = insert("program_variables", 3);
        std::int64_t id = 0;
        for (const Program& p : profile_.programs) {
            (Row(row) << id << p.name << toString(p.kind) << p.parent
                      << position[static_cast<std::size_t>(id)] << p.count << p.target
                      << p.computeSet << p.exchange << p.stream << p.operation
                      << p.controlCode.sum() << p.controlCode)
                .write();
            for (const VariableId v : p.variablesRead)
                (Row(variable) << id << v << false).write();
            for (const VariableId v : p.variablesWritten)
                (Row(variable) << id << v << true).write();
            ++id;
        }
        const auto writeRoots = [&](std::string_view table, const std::vector<ProgramId>& roots) {
            Statement root = insert(table, 2);
            for (std::size_t i = 0; i < roots.size(); ++i)
                (Row(root) << number(i) << roots[i]).write();
        };
        writeRoots("control_programs", profile_.controlPrograms);
        writeRoots("functions", profile_.functions);
    }

    void writeLiveness() {
        Statement interval = insert("liveness_intervals", 3);
        std::int64_t classId = 0;
        for (const LivenessClass& c : profile_.livenessClasses) {
            for (const StepInterval& i : c.intervals)
                (Row(interval) << classId << i.first << i.end).write();
            ++classId;
        }
        const auto curves = notAlwaysLiveByIpu();
        Statement row = insert("liveness_steps", 3);
        Statement byIpu = insert("liveness_by_ipu", 3);
        for (std::size_t step = 0; step < profile_.steps.size(); ++step) {
            std::int64_t total = 0;
            for (std::size_t ipu = 0; ipu < curves.size(); ++ipu) {
                total += curves[ipu][step];
                if (curves[ipu][step] != 0)
                    (Row(byIpu) << number(step) << number(ipu) << curves[ipu][step]).write();
            }
            (Row(row) << number(step) << profile_.steps[StepId(step)] << total).write();
        }
    }

    /// [ipu][step], by adding each class's bytes at its starts and taking them off at its ends.
    [[nodiscard]] std::vector<std::vector<std::int64_t>> notAlwaysLiveByIpu() const {
        const Target& target = profile_.info.target;
        const auto ipus = static_cast<std::size_t>(target.ipus);
        const std::size_t steps = profile_.steps.size();
        std::vector<std::vector<std::int64_t>> curves(ipus,
                                                      std::vector<std::int64_t>(steps + 1, 0));
        for (const Variable& v : profile_.variables) {
            if (v.alwaysLive || !v.liveness.valid())
                continue;
            for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
                const auto first = static_cast<std::int32_t>(ipu) * target.tilesPerIpu;
                const std::int64_t bytes = v.bytes.sum(first, first + target.tilesPerIpu);
                if (bytes == 0)
                    continue;
                for (const StepInterval& i : profile_.livenessClasses[v.liveness].intervals) {
                    curves[ipu].at(i.first.index()) += bytes;
                    curves[ipu].at(i.end.index()) -= bytes;
                }
            }
        }
        for (auto& curve : curves) {
            for (std::size_t step = 1; step < curve.size(); ++step)
                curve[step] += curve[step - 1];
            curve.resize(steps);
        }
        return curves;
    }

    void writeMemory() {
        const Target& target = profile_.info.target;
        Statement row = insert("memory_by_tile", 10);
        std::int32_t tile = 0;
        for (const TileMemory& m : profile_.tileMemory) {
            (Row(row) << std::int64_t{tile} << std::int64_t{tile / target.tilesPerIpu}
                      << std::int64_t{physicalTileId(target, tile % target.tilesPerIpu)}
                      << m.includingGaps << m.excludingGaps << m.nonInterleaved << m.interleaved
                      << m.overflowed << m.alwaysLive << m.maxNotAlwaysLive)
                .write();
            ++tile;
        }
        Statement category = insert("memory_by_category", 5);
        for (const CategoryMemory& c : profile_.categoryMemory)
            (Row(category) << static_cast<std::int64_t>(c.category) << toString(c.region)
                           << c.overlapped << c.bytes.sum() << c.bytes)
                .write();
    }

    void writePlacements() {
        Statement tiles = insert("placement_tiles", 3);
        for (const TileRun& run : profile_.placementOfTile.runs())
            (Row(tiles) << std::int64_t{run.first} << std::int64_t{run.tiles()} << run.value - 1)
                .write();
        Statement chunk = insert("placement_chunks", 3);
        const std::vector<Placement> all(profile_.placements.begin(), profile_.placements.end());
        for (std::size_t first = 0; first < all.size(); first += placementsPerChunk) {
            const std::size_t count = std::min(placementsPerChunk, all.size() - first);
            const std::vector<std::byte> data =
                encodePlacements(std::span(all).subspan(first, count));
            chunk.bind(0, number(first))
                .bind(1, number(count))
                .bind(2, std::span<const std::byte>(data));
            chunk.run();
        }
    }

    void writeTrace() {
        Statement ipu = insert("ipus", 1);
        for (std::int32_t i = 0; i < profile_.info.target.ipus; ++i)
            (Row(ipu) << std::int64_t{i}).write();
        Statement run = insert("runs", 5);
        for (std::size_t i = 0; i < profile_.trace.runs.size(); ++i) {
            const TraceRun& r = profile_.trace.runs[i];
            (Row(run) << number(i) << r.name << r.body << r.start << r.cycles).write();
        }
        Statement body = insert("trace_bodies", 3);
        std::int32_t id = 0;
        for (const TraceBody& b : profile_.trace.bodies) {
            (Row(body) << std::int64_t{id} << b.name << b.program).write();
            writeBody(TraceBodyId(id++), b);
        }
    }

    void writeBody(TraceBodyId id, const TraceBody& body) {
        Statement step = insert("trace_steps", 4);
        Statement stepIpu = insert("trace_step_ipus", 9);
        Statement call = insert("trace_calls", 5);
        Statement callIpu = insert("trace_call_ipus", 5);
        for (std::size_t at = 0; at < body.items.size(); ++at) {
            const TraceItem& item = body.items[at];
            if (item.step >= 0) {
                const TraceStep& s = body.steps.at(static_cast<std::size_t>(item.step));
                (Row(step) << id << number(at) << toString(s.kind) << s.program).write();
                for (const StepOnIpu& i : s.ipus)
                    (Row(stepIpu) << id << number(at) << i.ipu << i.start << i.cycles
                                  << i.activeTiles << i.activeCycles << i.bytesIn << i.bytesOut)
                        .write();
            } else {
                const TraceCall& c = body.calls.at(static_cast<std::size_t>(item.call));
                (Row(call) << id << number(at) << c.callee << c.program << c.count).write();
                for (const CallOnIpu& i : c.ipus)
                    (Row(callIpu) << id << number(at) << i.ipu << i.start << i.period).write();
            }
        }
    }

    const Profile& profile_;
    const Database& db_;
};

} // namespace

void writeProfile(const Profile& profile, const std::filesystem::path& file) {
    AtomicFile atomic(file);
    Database db(atomic.temporaryPath(), Database::Mode::Create);
    // The file is new and is renamed only when complete: no journal is needed.
    db.execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;");
    db.execute("BEGIN");
    db.execute(profileSchemaSql());
    db.execute(fmt::format("PRAGMA application_id={}; PRAGMA user_version={};",
                           profileApplicationId, profileSchemaVersion));
    Writer(profile, db).writeAll();
    db.execute("CREATE INDEX programs_by_parent ON programs(parent, position); "
               "CREATE INDEX trace_stream_steps ON trace_steps(body, position, type, program) "
               "WHERE type IN ('StreamCopyBegin', 'StreamCopyMid', 'StreamCopyEnd'); COMMIT");
    db.close();
    atomic.commit();
}

} // namespace tilescope
