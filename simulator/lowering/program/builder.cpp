#include "simulator/lowering/program/builder.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "simulator/cost/footprint.h"

namespace tilescope::sim {
ProgramBuilder::ProgramBuilder(const Target& target, LoweredProgram& lowered)
    : target_(target)
    , lowered_(lowered) {
    // Entries that exist already have their final names.
    const Profile& profile = lowered.profile;
    for (const Variable& variable : profile.variables)
        names_.variables.add(variable.name);
    for (const ComputeSet& set : profile.computeSets)
        names_.computeSets.add(set.name);
    for (const Exchange& exchange : profile.exchanges)
        names_.exchanges.add(exchange.name);
}

TileSeries ProgramBuilder::here(TileSeries series) const {
    if (ipu_.value() != 0)
        series = series.shifted(ipu_.value() * target_.tilesPerIpu);
    return series;
}

TileSeries ProgramBuilder::onAllTilesOf(const TileSeries& series, std::int64_t value) const {
    TileSeries all;
    for (std::int32_t ipu = 0; ipu < target_.ipus; ++ipu) {
        const std::int32_t first = ipu * target_.tilesPerIpu;
        if (series.sum(first, first + target_.tilesPerIpu) > 0)
            all.append(first, first + target_.tilesPerIpu, value);
    }
    return all;
}

TileSeries ProgramBuilder::code(std::int64_t bytes) const {
    return here(TileSeries(TileId(0), target_.tilesPerIpu, bytes));
}

VariableId ProgramBuilder::variable(StepName name, MemoryCategory category, TileSeries bytes,
                                    std::string type, std::string shape, VariableNeeds needs) {
    Variable v;
    v.name = name.text();
    v.category = category;
    v.operation = operation_;
    v.type = std::move(type);
    v.shape = std::move(shape);
    v.bytes = here(std::move(bytes));
    lowered_.needs.add(needs);
    names_.variables.add(std::move(name));
    return lowered_.profile.variables.add(std::move(v));
}

VariableId ProgramBuilder::alwaysLive(StepName name, MemoryCategory category, TileSeries bytes,
                                      std::string type, std::string shape) {
    const VariableId id =
        variable(std::move(name), category, std::move(bytes), std::move(type), std::move(shape));
    lowered_.profile.variables[id].alwaysLive = true;
    return id;
}

VariableId ProgramBuilder::constant(const std::string& content, std::string name, TileSeries bytes,
                                    std::string type) {
    const auto [at, isNew] = constants_.try_emplace(content);
    if (isNew)
        at->second = alwaysLive(std::move(name), MemoryCategory::Constant, std::move(bytes),
                                std::move(type));
    return at->second;
}

ProgramId ProgramBuilder::add(Program program) {
    program.operation = program.operation.valid() ? program.operation : operation_;
    if (open_.empty())
        throw InternalError("a program step outside of any control program");
    program.parent = open_.back();
    const ProgramId id = lowered_.profile.programs.add(std::move(program));
    lowered_.profile.programs[open_.back()].children.push_back(id);
    return id;
}

void ProgramBuilder::beginControlProgram(std::string name) {
    Program program;
    program.kind = ProgramKind::Sequence;
    program.name = std::move(name);
    const ProgramId id = lowered_.profile.programs.add(std::move(program));
    lowered_.profile.controlPrograms.push_back(id);
    open_.push_back(id);
}

void ProgramBuilder::beginFirstControlProgram(std::string name) {
    beginControlProgram(std::move(name));
    auto& programs = lowered_.profile.controlPrograms;
    std::rotate(programs.begin(), programs.end() - 1, programs.end());
}

ProgramId ProgramBuilder::beginSequence(std::string name) {
    Program program;
    program.kind = ProgramKind::Sequence;
    program.name = std::move(name);
    open_.push_back(add(std::move(program)));
    return open_.back();
}

std::int32_t ProgramBuilder::nextLinearTile(std::int32_t count, std::int32_t tiles) {
    std::int32_t& next = nextLinear_[ipu_];
    const std::int32_t first = next + count > tiles ? 0 : next;
    next = (first + count) % tiles;
    return first;
}

ProgramId ProgramBuilder::beginFunction(std::string name) {
    Program program;
    program.kind = ProgramKind::Sequence;
    program.name = std::move(name);
    const ProgramId id = lowered_.profile.programs.add(std::move(program));
    lowered_.profile.functions.push_back(id);
    open_.push_back(id);
    return id;
}

ProgramId ProgramBuilder::call(const std::string& name, ProgramId function) {
    Program program;
    program.kind = ProgramKind::Call;
    program.name = name;
    program.target = function;
    program.controlCode = code(controlBytesCall);
    return add(std::move(program));
}

std::vector<ProgramId> ProgramBuilder::childrenFrom(std::size_t first) const {
    const auto& children = lowered_.profile.programs[open_.back()].children;
    return {children.begin() + static_cast<std::ptrdiff_t>(first), children.end()};
}

void ProgramBuilder::addAgain(const std::vector<ProgramId>& programs) {
    std::set<VariableId> seen;
    for (const ProgramId id : programs)
        cloneInto(id, seen);
}

void ProgramBuilder::cloneInto(ProgramId id, std::set<VariableId>& seen) {
    Program copy = lowered_.profile.programs[id];
    const std::vector<ProgramId> children = std::exchange(copy.children, {});
    for (const VariableId read : copy.variablesRead)
        seen.insert(read);
    const std::vector<VariableId> written = copy.variablesWritten;
    const ProgramId made = add(std::move(copy));
    std::vector<VariableId> anew;
    for (auto at = lowered_.kills.lower_bound({id, VariableId()});
         at != lowered_.kills.end() && at->first == id; ++at)
        anew.push_back(at->second);
    for (const VariableId variable : anew)
        lowered_.kills.emplace(made, variable);
    for (const VariableId variable : written)
        if (seen.insert(variable).second)
            lowered_.kills.emplace(made, variable);
    open_.push_back(made);
    for (const ProgramId child : children)
        cloneInto(child, seen);
    open_.pop_back();
}

std::vector<ProgramId> ProgramBuilder::moveTo(ProgramId sequence) {
    return std::exchange(open_, {sequence});
}

void ProgramBuilder::beginSwitch(std::string name) {
    Program program;
    program.kind = ProgramKind::Switch;
    program.name = std::move(name);
    open_.push_back(add(std::move(program)));
}

void ProgramBuilder::beginRepeat(std::string name, std::int64_t count) {
    openRepeat(std::move(name), count,
               TileSeries(TileId(0), target_.totalTiles(), controlBytesRepeat));
}

void ProgramBuilder::beginRepeatHere(std::string name, std::int64_t count) {
    openRepeat(std::move(name), count, code(controlBytesRepeat));
}

void ProgramBuilder::openRepeat(std::string name, std::int64_t count, TileSeries controlCode) {
    Program program;
    program.kind = ProgramKind::Repeat;
    program.name = name;
    program.count = count;
    program.controlCode = std::move(controlCode);
    open_.push_back(add(std::move(program)));
    beginSequence(std::move(name));
}

void ProgramBuilder::end() {
    const Program& closing = lowered_.profile.programs[open_.back()];
    open_.pop_back();
    if (closing.parent.valid() &&
        lowered_.profile.programs[closing.parent].kind == ProgramKind::Repeat)
        open_.pop_back();
}

ProgramId ProgramBuilder::execute(const StepName& name, TileSeries cycles,
                                  const std::vector<VertexUse>& vertices, Access access,
                                  SetMaker maker) {
    if (maker == SetMaker::Graph)
        names_.numberComputeSet(name);
    ComputeSet set;
    set.name = name.text();
    set.operation = operation_;
    set.cycles = here(std::move(cycles));
    TileSeries takePart;
    for (const VertexUse& use : vertices) {
        const TileSeries count = here(use.count);
        takePart += count;
        auto known = vertexTypes_.find(use.name);
        if (known == vertexTypes_.end())
            known = vertexTypes_.emplace(use.name, lowered_.profile.vertexTypes.add({use.name, {}}))
                        .first;
        const VertexState state = vertexState(use.name);
        const TileSeries instances = count.scaled(state.instanceBytes) + here(use.instanceBytes);
        const TileSeries fields = count.scaled(state.fieldBytes) + here(use.listBytes);
        set.vertices.push_back(
            {known->second, count, instances + fields, use.edges > 0 ? use.edges : state.edges});
        lowered_.instanceState.add(instances);
        lowered_.fieldData.add(fields);
        TileSeries& code = lowered_.profile.vertexTypes[known->second].codeBytes;
        const std::int64_t codeBytes = use.codeBytes.value_or(codeletBytes(use.name));
        code = TileSeries::zip(code, count, [&](std::int64_t, std::int64_t) { return codeBytes; });
    }
    Program program;
    program.kind = ProgramKind::OnTileExecute;
    program.name = name.text();
    program.computeSet = lowered_.profile.computeSets.add(std::move(set));
    names_.computeSets.add(name);
    program.controlCode = takePart.ones().scaled(controlBytesExecute);
    program.variablesRead = std::move(access.reads);
    program.variablesWritten = std::move(access.writes);
    return add(std::move(program));
}

StreamId ProgramBuilder::stream(const std::string& name, bool toDevice, const TileSeries& bytes) {
    return lowered_.profile.streams.add({name, toDevice, bytes});
}

void ProgramBuilder::streamCopy(const std::string& name, bool toDevice, const TileSeries& bytes,
                                const std::vector<VariableId>& variables) {
    streamCopy(stream(name, toDevice, bytes), variables);
}

void ProgramBuilder::streamCopy(StreamId stream, const std::vector<VariableId>& variables) {
    streamCopies({{stream, variables}});
}

void ProgramBuilder::streamCopies(const std::vector<StreamCopy>& copies) {
    IdVector<ProgramId, Program>& programs = lowered_.profile.programs;
    ProgramId last;
    for (const auto& [stream, variables, peer] : copies) {
        const std::string name = lowered_.profile.streams[stream].name;
        const ProgramId begin = streamStep(ProgramKind::StreamCopyBegin, stream, name, variables);
        if (last.valid() && programs[last].controlCode == programs[begin].controlCode) {
            programs[last].controlCode = {};
            programs[begin].controlCode = {};
        }
        streamStep(ProgramKind::StreamCopyMid, stream, name, variables);
        last = streamStep(ProgramKind::StreamCopyEnd, stream, name, variables);
        if (!peer.valid())
            continue;
        const bool loads = lowered_.profile.streams[stream].toDevice;
        Program& copying = programs[loads ? last : begin];
        copying.variablesRead = loads ? variables : std::vector{peer};
        copying.variablesWritten = loads ? std::vector{peer} : variables;
    }
}

ProgramId ProgramBuilder::streamStep(ProgramKind kind, StreamId stream, const std::string& name,
                                     const std::vector<VariableId>& variables) {
    const Stream& copied = lowered_.profile.streams[stream];
    Program program;
    program.kind = kind;
    program.name = name;
    program.stream = stream;
    program.controlCode = onAllTilesOf(copied.bytes, controlBytesStream);
    if (kind == ProgramKind::StreamCopyMid)
        (copied.toDevice ? program.variablesWritten : program.variablesRead) = variables;
    return add(std::move(program));
}

void ProgramBuilder::preferApart(VariableId one, VariableId other) {
    for (const auto& [variable, peer] : {std::pair(one, other), std::pair(other, one)}) {
        auto& peers = lowered_.needs[variable].preferablyApart;
        const auto place =
            std::find_if(peers.begin(), peers.end(),
                         [&, wanted = peer](VariableId id) { return !id.valid() || id == wanted; });
        if (place != peers.end())
            *place = peer;
    }
}

void ProgramBuilder::writeUndef(const std::string& name, VariableId variable) {
    Program program;
    program.kind = ProgramKind::WriteUndef;
    program.name = name;
    program.variablesWritten = {variable};
    add(std::move(program));
}

void ProgramBuilder::replaceBy(VariableId view, std::vector<VariableId> parts,
                               const std::string& name) {
    Program program;
    program.kind = ProgramKind::WriteUndef;
    program.name = name;
    program.variablesRead = std::move(parts);
    program.variablesWritten = {view};
    add(std::move(program));
}

void ProgramBuilder::writeUndef(const std::string& name) {
    Program program;
    program.kind = ProgramKind::WriteUndef;
    program.name = name;
    add(std::move(program));
}

} // namespace tilescope::sim
