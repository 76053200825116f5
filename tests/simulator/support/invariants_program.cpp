#include <algorithm>
#include <set>

#include "invariant_parts.h"

namespace tilescope::test {
namespace {

bool isStream(ProgramKind kind) {
    return kind == ProgramKind::StreamCopyBegin || kind == ProgramKind::StreamCopyMid ||
           kind == ProgramKind::StreamCopyEnd;
}

bool contains(const std::vector<ProgramId>& ids, ProgramId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

void checkNode(const Profile& profile, ProgramId id, Complaints& complaints) {
    const Program& program = profile.programs[id];
    const std::string& name = program.name;
    for (const ProgramId child : program.children)
        complaints.expect(profile.programs[child].parent == id, "a child names its parent",
                          "{} under {}", profile.programs[child].name, name);
    complaints.expect(isControl(program.kind) || program.children.empty(), "leaves are leaves",
                      "{} has {} children", name, program.children.size());
    complaints.expect(program.count >= 1, "a repeat runs", "{} runs {} times", name, program.count);
    complaints.expect(program.kind != ProgramKind::Repeat || program.children.size() == 1,
                      "a repeat has one body", "{}", name);
    complaints.expect((program.kind == ProgramKind::Call) == program.target.valid(),
                      "a call has a target", "{}", name);
    complaints.expect(!program.target.valid() || contains(profile.functions, program.target),
                      "a call's target is a function", "{}", name);
    complaints.expect((program.kind == ProgramKind::OnTileExecute) == program.computeSet.valid(),
                      "an execute has a compute set", "{}", name);
    complaints.expect((program.kind == ProgramKind::DoExchange ||
                       program.kind == ProgramKind::GlobalExchange) == program.exchange.valid(),
                      "an exchange program has an exchange", "{}", name);
    complaints.expect(isStream(program.kind) == program.stream.valid(),
                      "a stream copy has a stream", "{}", name);
}

void visit(const Profile& profile, ProgramId id, std::vector<int>& visits) {
    ++visits[id.index()];
    if (visits[id.index()] == 1)
        for (const ProgramId child : profile.programs[id].children)
            visit(profile, child, visits);
}

void collectCalled(const Profile& profile, ProgramId id, std::set<ProgramId>& called) {
    const Program& program = profile.programs[id];
    if (program.kind == ProgramKind::Call)
        called.insert(program.target);
    for (const ProgramId child : program.children)
        collectCalled(profile, child, called);
}

void collectSteps(const Profile& profile, ProgramId id, const std::set<ProgramId>& standOnce,
                  std::vector<ProgramId>& steps) {
    const Program& program = profile.programs[id];
    if (!isControl(program.kind))
        steps.push_back(id);
    if (program.kind == ProgramKind::Call && !standOnce.contains(program.target))
        collectSteps(profile, program.target, standOnce, steps);
    for (const ProgramId child : program.children)
        collectSteps(profile, child, standOnce, steps);
}

} // namespace

std::set<ProgramId> functionsPlacedOnce(const Profile& profile) {
    std::set<ProgramId> called;
    if (!profile.pipeline.empty())
        for (const ProgramId root : profile.controlPrograms)
            collectCalled(profile, root, called);
    return called;
}

void checkProgramTree(const Profile& profile, Complaints& complaints) {
    std::vector<int> visits(profile.programs.size(), 0);
    for (const auto* roots : {&profile.controlPrograms, &profile.functions})
        for (const ProgramId root : *roots) {
            complaints.expect(!profile.programs[root].parent.valid(), "roots have no parent", "{}",
                              profile.programs[root].name);
            visit(profile, root, visits);
        }
    for (std::size_t i = 0; i < visits.size(); ++i) {
        complaints.expect(visits[i] == 1, "every program is once in the tree",
                          "{} is there {} times", profile.programs[ProgramId(i)].name, visits[i]);
        checkNode(profile, ProgramId(i), complaints);
        complaints.expectSound(profile.programs[ProgramId(i)].controlCode,
                               profile.info.target.totalTiles(),
                               "control code of " + profile.programs[ProgramId(i)].name);
    }
    const std::set<ProgramId> standOnce = functionsPlacedOnce(profile);
    std::vector<ProgramId> leaves;
    for (const ProgramId root : profile.controlPrograms)
        collectSteps(profile, root, standOnce, leaves);
    for (const ProgramId function : profile.functions)
        if (standOnce.contains(function))
            collectSteps(profile, function, standOnce, leaves);
    const std::vector<ProgramId> steps(profile.steps.begin(), profile.steps.end());
    complaints.expect(steps == leaves, "the steps are the leaves, depth first",
                      "{} steps, {} leaves", steps.size(), leaves.size());
}

void checkComputeSetsAndExchanges(const Profile& profile, Complaints& complaints) {
    const std::int32_t tiles = profile.info.target.totalTiles();
    const auto ipuModel = profile.info.options.find("ipuModel");
    const bool hasCode = ipuModel == profile.info.options.end() || ipuModel->second != "on";
    for (const ComputeSet& set : profile.computeSets) {
        complaints.expectSound(set.cycles, tiles, "cycles of " + set.name);
        TileSeries vertices;
        for (const VertexInstances& use : set.vertices) {
            complaints.expectSound(use.count, tiles, "vertices of " + set.name);
            complaints.expectSound(use.stateBytes, tiles, "vertex state of " + set.name);
            const VertexType& type = profile.vertexTypes[use.type];
            TileSeries::zip(use.count, type.codeBytes, [&](std::int64_t count, std::int64_t code) {
                complaints.expect((count > 0 && hasCode) == (code > 0 && count > 0),
                                  "a tile has the code of its vertices", "{} in {}", type.name,
                                  set.name);
                return 0;
            });
            vertices += use.count;
        }
        TileSeries::zip(vertices, set.cycles, [&](std::int64_t count, std::int64_t cycles) {
            complaints.expect((count > 0) == (cycles > 0), "vertices where there are cycles",
                              "{}: {} vertices take {} cycles", set.name, count, cycles);
            return 0;
        });
    }
    std::set<ExchangeId> global;
    for (const Program& program : profile.programs)
        if (program.kind == ProgramKind::GlobalExchange)
            global.insert(program.exchange);
    for (std::size_t i = 0; i < profile.exchanges.size(); ++i) {
        const Exchange& exchange = profile.exchanges[ExchangeId(i)];
        complaints.expectSound(exchange.bytesReceived, tiles, "bytes received in " + exchange.name);
        complaints.expectSound(exchange.bytesSent, tiles, "bytes sent in " + exchange.name);
        complaints.expectSound(exchange.codeBytes, tiles, "code of " + exchange.name);
        complaints.expectSound(exchange.cycles, tiles, "cycles of " + exchange.name);
        // What stays on an IPU is received there; a copy between IPUs anywhere.
        const std::int32_t perIpu =
            global.contains(ExchangeId(i)) ? tiles : profile.info.target.tilesPerIpu;
        for (std::int32_t first = 0; first < tiles; first += perIpu) {
            const std::int64_t in = exchange.bytesReceived.sum(first, first + perIpu);
            const std::int64_t out = exchange.bytesSent.sum(first, first + perIpu);
            complaints.expect(in == out, "bytes sent are received", "{}: {} in, {} out",
                              exchange.name, in, out);
        }
        TileSeries::zip(exchange.bytesReceived + exchange.bytesSent, exchange.cycles,
                        [&](std::int64_t bytes, std::int64_t cycles) {
                            complaints.expect((bytes > 0) == (cycles > 0),
                                              "exchanging takes cycles", "{}: {} bytes, {} cycles",
                                              exchange.name, bytes, cycles);
                            return 0;
                        });
        complaints.expect(
            exchange.runBytes >= 0 && (exchange.runBytes > 0) == !exchange.bytesSent.empty(),
            "what moves comes in runs", "{}: runs of {}", exchange.name, exchange.runBytes);
    }
    for (const Stream& stream : profile.streams)
        complaints.expectSound(stream.bytes, tiles, "stream " + stream.name);
    for (const Variable& variable : profile.variables)
        complaints.expectSound(variable.bytes, tiles, "variable " + variable.name);
}

} // namespace tilescope::test
