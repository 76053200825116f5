#include "views/programs/debug_context.h"

#include <algorithm>

#include "core/analysis/source/source_names.h"
#include "views/theme/text.h"

namespace tilescope::views {
namespace {

constexpr std::size_t mostTensors = 40; ///< of an operation; more are only counted

ValueNode tensorsNode(const QString& title, const std::vector<ModelTensorId>& ids,
                      const ModelGraph& graph) {
    ValueNode node = valueLine(title, static_cast<std::int64_t>(ids.size()), Unit::Count);
    for (std::size_t i = 0; i < std::min(mostTensors, ids.size()); ++i) {
        const ModelTensor& tensor = graph.tensors[ids[i]];
        node.children.push_back(
            valueLine(shownName(tensor.name), tensor.type + " " + tensor.shape));
    }
    return node;
}

std::string passText(ModelPhase pass) {
    switch (pass) {
    case ModelPhase::Forward:
        return Text::tr("forward").toStdString();
    case ModelPhase::Backward:
        return Text::tr("backward").toStdString();
    case ModelPhase::Update:
        break;
    }
    return Text::tr("weight update").toStdString();
}

/// How the exporter's line became that of the operation.
std::string linkText(SourceLink link) {
    switch (link) {
    case SourceLink::Written:
        return Text::tr("recorded with the operation").toStdString();
    case SourceLink::Inferred:
        return Text::tr("that of the operation which reads its result").toStdString();
    case SourceLink::Gradient:
        return Text::tr("that of the forward operation").toStdString();
    case SourceLink::Moved:
        return Text::tr("that of the operation which makes what it keeps or moves").toStdString();
    case SourceLink::Update:
        break;
    }
    return Text::tr("that of the first operation which reads the weight").toStdString();
}

/// The lines from the innermost on, those of libraries too.
std::optional<ValueNode> stackNode(const ProfileView& profile, const ModelNode& node,
                                   ModelNodeId id, const std::stop_token& stop) {
    const SourceNames mine(profile, SourceReach::Mine, stop);
    const SourceNames names(profile, SourceReach::Libraries, stop);
    const SourceFrameId own = names.frameOf(id);
    if (!own.valid())
        return {};
    ValueNode stack =
        valueLine(Text::tr("Source line"), mine.name(mine.frameOf(id), SourceGrain::Line));
    stack.children.push_back(valueLine(Text::tr("Known as"), linkText(node.source.link)));
    std::vector<SourceFrameId> frames = names.stackOf(own);
    std::reverse(frames.begin(), frames.end());
    for (const SourceFrameId frame : frames)
        stack.children.push_back(
            valueLine(shownName(names.name(frame, SourceGrain::Line)),
                      names.code().frames[frame].function +
                          (names.text(frame).empty() ? "" : ": " + names.text(frame))));
    return stack;
}

} // namespace

std::optional<ValueNode> debugContext(const ProfileView& profile, OperationId operation,
                                      const std::stop_token& stop) {
    const auto graph = profile.modelGraph(stop);
    const auto is = [operation](const ModelNode& node) { return node.operation == operation; };
    const auto first = std::find_if(graph->nodes.begin(), graph->nodes.end(), is);
    if (!operation.valid() || first == graph->nodes.end())
        return {};
    const ModelNodeId id(static_cast<std::size_t>(first - graph->nodes.begin()));
    ValueNode context = valueLine(Text::tr("Debug context"), first->name);
    context.children = {valueLine(Text::tr("Operator"), first->type),
                        valueLine(Text::tr("Pass"), passText(first->phase)),
                        valueLine(Text::tr("Stage"), std::int64_t{first->stage}, Unit::Count)};
    const auto places = std::count_if(graph->nodes.begin(), graph->nodes.end(), is);
    if (places > 1)
        context.children.push_back(
            valueLine(Text::tr("Places in the model"), std::int64_t{places}, Unit::Count));
    context.children.push_back(tensorsNode(Text::tr("Reads"), first->reads, *graph));
    context.children.push_back(tensorsNode(Text::tr("Writes"), first->writes, *graph));
    if (std::optional<ValueNode> stack = stackNode(profile, *first, id, stop))
        context.children.push_back(std::move(*stack));
    return context;
}

} // namespace tilescope::views
