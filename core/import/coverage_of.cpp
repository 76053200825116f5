// What a capture lacks, and what would provide it.
#include <fmt/format.h>

#include "core/import/readers.h"

namespace tilescope {
namespace {

class Lacks {
public:
    /// Adds a part that is not complete.
    void operator()(ProfilePart part, Covered state, std::string why) {
        if (state != Covered::Full)
            coverage_.rows.push_back({part, state, std::move(why)});
    }
    void none(ProfilePart part, std::string why) { (*this)(part, Covered::None, std::move(why)); }
    [[nodiscard]] Coverage done() && { return std::move(coverage_); }

private:
    Coverage coverage_;
};

Covered coveredIf(bool is) {
    return is ? Covered::Full : Covered::None;
}

void addWhatNoFileHas(Lacks& lacks) {
    lacks.none(ProfilePart::Run, "Poplar's profile does not say what a run computes: its mode, "
                                 "batch size and samples");
    lacks.none(ProfilePart::Options, "the options of the run are not in Poplar's profile");
    lacks.none(ProfilePart::HostTimes, "when the host had data, and what a call cost it, is not "
                                       "in Poplar's profile");
    lacks.none(ProfilePart::Streams, "which stream a copy belongs to is not in Poplar's profile");
    lacks.none(ProfilePart::Plans, "plans of convolutions are not in Poplar's profile");
    lacks.none(ProfilePart::Graph, "the model's graph is not in Poplar's profile");
    lacks.none(ProfilePart::Pipeline, "stages of a pipeline are not in Poplar's profile");
    lacks.none(ProfilePart::Copies, "why operands are put in order is not in Poplar's profile");
    lacks.none(ProfilePart::VariableTypes, "types and shapes are not in Poplar's profile");
    lacks.none(ProfilePart::Addresses, "addresses are not read from Poplar's profile");
    lacks.none(ProfilePart::PhysicalTiles, "where a tile is on the chip is not in Poplar's "
                                           "profile, and our map of it is assumed");
    lacks.none(ProfilePart::Values, "values of tensors are not in Poplar's profile");
}

/// Whether all steps with data moved on the chip have their bytes.
bool exchangesHaveBytes(const Profile& profile) {
    for (const TraceBody& body : profile.trace.bodies)
        for (const TraceStep& step : body.steps)
            if (step.kind == ProgramKind::DoExchange)
                for (const StepOnIpu& on : step.ipus)
                    if (on.bytesIn > 0)
                        return true;
    return false;
}

/// Whether compute steps have tiles that take part.
bool stepsHaveTiles(const Profile& profile) {
    for (const TraceBody& body : profile.trace.bodies)
        for (const TraceStep& step : body.steps)
            if (step.kind == ProgramKind::OnTileExecute)
                for (const StepOnIpu& on : step.ipus)
                    if (on.activeTiles > 0)
                        return true;
    return false;
}

bool hasVertices(const ComputeSet& set) {
    return std::any_of(set.vertices.begin(), set.vertices.end(),
                       [](const VertexInstances& of) { return !of.count.empty(); });
}

bool anyCycles(const Profile& profile) {
    return std::any_of(profile.computeSets.begin(), profile.computeSets.end(),
                       [](const ComputeSet& set) { return !set.cycles.empty(); });
}

} // namespace

Coverage coverageOf(const Importing& import) {
    const Profile& profile = import.profile;
    const CaptureFile& file = import.file;
    const auto any = [](const auto& list, const auto& has) {
        return std::any_of(list.begin(), list.end(), has);
    };
    Lacks lacks;
    addWhatNoFileHas(lacks);
    lacks(ProfilePart::Operations, coveredIf(!profile.operations.empty()),
          "no operation was captured: give tilescope_capture.py the debug.cbor too");
    lacks(ProfilePart::Flops,
          coveredIf(any(profile.operations, [](const Operation& o) { return o.flops > 0; })),
          file.lacksName("Operation.flops") ? "this pva has no Operation.flops"
                                            : "Poplar's profile has no FLOPs");
    lacks(ProfilePart::Edges,
          coveredIf(file.number("graph.numEdges", 0, largestAmount).has_value()),
          "this pva has no Graph.numEdges");
    lacks(ProfilePart::ExchangeBytes, exchangesHaveBytes(profile) ? Covered::Part : Covered::None,
          "Poplar's profile has no bytes of exchanges by tile");
    const bool sizes =
        file.database().integer("SELECT EXISTS (SELECT 1 FROM vertex_types WHERE size > 0)") != 0;
    lacks(ProfilePart::StateBytes, sizes ? Covered::Part : Covered::None,
          sizes ? "state is counted as vertices times the size of their type"
                : "this pva has no VertexType.size");
    const bool live =
        !profile.steps.empty() &&
        any(profile.livenessClasses, [](const LivenessClass& c) { return !c.intervals.empty(); });
    lacks(ProfilePart::Variables,
          profile.variables.empty() ? Covered::None
          : live                    ? Covered::Full
                                    : Covered::Part,
          profile.variables.empty() ? "variables were not captured (--no-variables)"
                                    : "when variables are live was not captured");
    const auto named = [&](ProfilePart part, std::string_view name, Covered without) {
        if (file.lacksName(name))
            lacks(part, without, fmt::format("this pva has no {}", name));
    };
    named(ProfilePart::StepBytes, "StepIpu.dataIn", Covered::None);
    lacks(ProfilePart::VertexCounts, coveredIf(any(profile.computeSets, hasVertices)),
          "this pva has no counts of vertices by tile");
    named(ProfilePart::VertexCode, "VertexMemory.codeBytes", Covered::None);
    named(ProfilePart::Regions, "CategoryBytes.nonInterleaved.nonOverlapped", Covered::None);
    // Variables that are named after their category are counted there.
    named(ProfilePart::Categories, "LoweredVariable.category", Covered::Part);
    const bool calls = any(profile.programs, [](const Program& p) {
        return p.kind == ProgramKind::UnknownControl &&
               (p.originalKind == "Call" || p.originalKind == "Repeat");
    });
    lacks(ProfilePart::Functions, calls ? Covered::Part : Covered::Full,
          "functions of calls and counts of repeats are known as far as they were executed");
    lacks(ProfilePart::TileCycles, coveredIf(anyCycles(profile)),
          "no cycles by tile were captured: run with the engine option "
          "debug.instrumentCompute");
    lacks(ProfilePart::ActiveTiles, coveredIf(stepsHaveTiles(profile)),
          "this pva has no StepIpu.activeTiles, and no cycles by tile were measured");
    return std::move(lacks).done();
}

} // namespace tilescope
