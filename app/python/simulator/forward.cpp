// The model's forward pass alone, for comparison with other implementations.
#include <algorithm>

#include "app/python/simulator/compiled_model.h"
#include "simulator/frontend/onnx_types/weight_values.h"
#include "simulator/graph/elementwise_traits.h"
#include "simulator/prepare/prepare.h"
#include "simulator/values/planned_sums.h"

namespace tilescope::python {

using sim::DataType;
using sim::Graph;
using sim::Tensor;
using sim::TensorData;

TensorData microBatchOf(const Tensor& input, const CompiledModel::InputElements& all,
                        std::int64_t microBatch) {
    TensorData part(sim::isFloating(input.type) ? DataType::Float : DataType::Int32, input.shape);
    const auto size = static_cast<std::size_t>(part.elements());
    const auto first = static_cast<std::size_t>(microBatch) * size;
    if (part.isReal())
        std::copy_n(all.reals.begin() + static_cast<std::ptrdiff_t>(first), size,
                    part.reals().begin());
    else
        std::copy_n(all.ints.begin() + static_cast<std::ptrdiff_t>(first), size,
                    part.ints().begin());
    return input.type == part.type() ? part : sim::converted(part, input.type);
}

namespace {

/// Only those options that affect values.
RunOptions forwardOptions(const RunOptions& all) {
    RunOptions options;
    options.machine.target = all.machine.target;
    options.machine.target.ipus = 1;
    options.model.precision = all.model.precision;
    options.planning.partialsType = all.planning.partialsType;
    options.planning.availableMemoryProportion = all.planning.availableMemoryProportion;
    options.outline.enabled = false;
    options.compute = all.compute;
    options.compute.automaticLossScaling = false;
    return options;
}

} // namespace

std::vector<std::pair<TensorInfo, TensorData>>
CompiledModel::forward(const std::map<std::string, InputElements>& inputs) const {
    const RunOptions options = forwardOptions(options_);
    const Graph graph = sim::preparedGraph(imported_, options);
    sim::Machine machine(graph, options, 0,
                         sim::plannedSums(graph, options.machine, options.planning));
    std::vector<std::pair<TensorInfo, TensorData>> made;
    sim::HostPort port;
    port.input = [&](const Tensor& input, const sim::BatchPlace&) {
        return microBatchOf(input, inputs.at(input.name), 0);
    };
    port.watch = [&](const Graph& of, sim::TensorId id, const sim::BatchPlace&,
                     const TensorData& value) {
        const Tensor& tensor = of.tensors[id];
        if (&of == &graph)
            made.emplace_back(TensorInfo{tensor.name, tensor.shape, tensor.type}, value.copy());
    };
    machine.run(port);
    return made;
}

std::vector<std::string> CompiledModel::drawing() const {
    std::vector<std::string> names;
    for (const sim::Op& op : imported_.ops)
        if (const auto* function = std::get_if<sim::ElementwiseAttributes>(&op.attributes);
            function != nullptr && sim::traitsOf(function->function).isRandom)
            names.push_back(op.name);
    return names;
}

} // namespace tilescope::python
