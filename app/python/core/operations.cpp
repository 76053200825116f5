// The model's operations, to which programs, variables and compute sets belong.
#include "app/python/core/profile.h"
#include "core/analysis/accounting/placed_operations.h"
#include "core/analysis/source/source_names.h"

namespace tilescope::python {
namespace {

struct PlacedList {
    std::vector<PlacedOperation> places;
};

std::shared_ptr<const PlacedList> placesOf(const ProfileHandle& profile) {
    return profile.load([](const ProfileView& view) {
        return view.derived<PlacedList>([&] { return PlacedList{placedOperations(view)}; });
    });
}

py::tuple place(const ProfileHandle& profile, std::size_t at) {
    const auto list = placesOf(profile);
    if (at >= list->places.size())
        throw py::index_error("there is no operation " + std::to_string(at));
    const PlacedOperation& of = list->places[at];
    return py::make_tuple(of.path, of.operation.value(), of.node.value(), of.firstStep.value(),
                          of.lastStep.value(), arrayOf(of.programs));
}

py::tuple operation(const ProfileHandle& profile, std::int64_t id) {
    const auto operations = profile.load([](const ProfileView& view) { return view.operations(); });
    const Operation& of = itemOf(*operations, id, "operation");
    return py::make_tuple(of.name, of.type, of.flops, of.outputShape, of.plan, of.options);
}

py::list tensorNames(const ModelGraph& graph, const std::vector<ModelTensorId>& tensors) {
    py::list names;
    for (const ModelTensorId tensor : tensors)
        names.append(itemOf(graph.tensors, tensor.value(), "tensor").name);
    return names;
}

py::dict modelNode(const ProfileHandle& profile, std::int64_t id) {
    const auto graph = profile.load([](const ProfileView& view) { return view.modelGraph(); });
    const ModelNode& node = itemOf(graph->nodes, id, "node of the model");
    py::dict d;
    d["name"] = node.name;
    d["type"] = node.type;
    d["phase"] = std::string(toString(node.phase));
    d["stage"] = node.stage;
    d["inputs"] = tensorNames(*graph, node.reads);
    d["outputs"] = tensorNames(*graph, node.writes);
    return d;
}

py::object sourceLine(const ProfileHandle& profile, std::int32_t operation, std::int32_t node) {
    const auto names = profile.load([](const ProfileView& view) {
        return view.derived<SourceNames>([&] { return SourceNames(view); });
    });
    const SourceFrameId frame =
        node >= 0 ? names->frameOf(ModelNodeId(node)) : names->frameOf(OperationId(operation));
    if (!frame.valid())
        return py::none();
    const SourceFrame& at = names->code().frames[frame];
    return py::make_tuple(names->code().files[at.file].path, at.line, at.function);
}

} // namespace

void bindOperations(ProfileClass& profile) {
    profile
        .def(
            "place_count", [](const ProfileHandle& p) { return placesOf(p)->places.size(); },
            "Operations of the model, at each place where they run.")
        .def("place", place, py::arg("at"),
             "(path, operation, node, first step, last step, array of programs) of an operation "
             "at its place, in the order of the first steps; -1 for none.")
        .def(
            "operation_count",
            [](const ProfileHandle& p) {
                return p.load([](const ProfileView& view) { return view.operations(); })->size();
            },
            "Operations of the program.")
        .def("operation", operation, py::arg("id"),
             "(name, type, flops, output shape, plan, options) of an operation of the program; "
             "plan and options are JSON or empty.")
        .def("model_node", modelNode, py::arg("id"),
             "Name, type, phase, stage, inputs and outputs of a node of the model: a dict.")
        .def("source_line", sourceLine, py::arg("operation"), py::arg("node") = -1,
             "(path, line, function) of the user's line that made a node, or an operation's first "
             "one; None if it is not recorded.");
}

} // namespace tilescope::python
