#include <set>

#include "invariant_parts.h"

namespace tilescope::test {

void checkModelGraph(const Profile& profile, Complaints& complaints) {
    const ModelGraph& graph = profile.modelGraph;
    complaints.expect(graph.recorded() || profile.operations.empty(), "the graph is recorded",
                      "{} operations", profile.operations.size());
    std::set<OperationId> recorded;
    std::set<ModelTensorId> made;
    for (const ModelNode& node : graph.nodes) {
        // What passes between the stages of a pipeline is copied by its schedule, all at once.
        const bool ofSchedule = node.type == "IpuCopy" && !profile.pipeline.empty();
        complaints.expect(node.operation.valid() || ofSchedule, "every node has an operation", "{}",
                          node.name);
        if (node.operation.valid()) {
            recorded.insert(node.operation);
            const std::string& type = profile.operations[node.operation].type;
            complaints.expect(node.type == type, "a node is what runs for it", "{} is {}, not {}",
                              node.name, node.type, type);
        }
        for (const ModelTensorId read : node.reads)
            complaints.expect(graph.tensors[read].source != TensorSource::Operation ||
                                  made.contains(read),
                              "a tensor is made before it is read", "{} of {}",
                              graph.tensors[read].name, node.name);
        for (const ModelTensorId written : node.writes)
            complaints.expect(made.insert(written).second, "a tensor is made once", "{} by {}",
                              graph.tensors[written].name, node.name);
    }
    for (std::size_t i = 0; i < profile.operations.size(); ++i)
        complaints.expect(recorded.contains(OperationId(i)), "every operation is in the graph",
                          "{}", profile.operations[OperationId(i)].name);
}

} // namespace tilescope::test
