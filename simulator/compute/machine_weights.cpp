// The weights of a machine, wherever they are.
#include <algorithm>
#include <stdexcept>

#include "simulator/compute/machine.h"

namespace tilescope::sim {

std::vector<std::string> Machine::weights() const {
    std::vector<std::string> names;
    for (const Tensor& tensor : graph_.tensors)
        if (tensor.role == TensorRole::Weight && tensor.state == StateKind::None)
            names.push_back(tensor.name);
    for (const auto& [name, row] : remoteWeights_)
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    return names;
}

TensorData Machine::weight(const std::string& name) const {
    if (const auto row = remoteWeights_.find(name); row != remoteWeights_.end())
        return remote_.front().at(row->second).copy();
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
        if (graph_.tensors[TensorId(i)].role == TensorRole::Weight &&
            graph_.tensors[TensorId(i)].name == name)
            return top_.values.front()[TensorId(i)].copy();
    throw std::out_of_range(name);
}

void Machine::setWeight(const std::string& name, const TensorData& value) {
    if (const auto row = remoteWeights_.find(name); row != remoteWeights_.end()) {
        for (auto& rows : remote_)
            rows.at(row->second) = value.copy();
        return;
    }
    bool found = false;
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
        const Tensor& tensor = graph_.tensors[TensorId(i)];
        if (tensor.role != TensorRole::Weight || tensor.name != name)
            continue;
        found = true;
        for (Values& values : top_.values)
            values[TensorId(i)] = value.copy();
    }
    if (!found)
        throw std::out_of_range(name);
}

std::vector<TensorData> Machine::state(const std::string& name) const {
    std::vector<TensorData> values;
    if (const auto row = remoteStates_.find(name); row != remoteStates_.end()) {
        for (const auto& rows : remote_)
            values.push_back(rows.at(row->second).copy());
        return values;
    }
    const TensorId id = stateNamed(name);
    for (const Values& replica : top_.values)
        values.push_back(replica[id].copy());
    return values;
}

void Machine::setState(const std::string& name, const std::vector<TensorData>& values) {
    const auto row = remoteStates_.find(name);
    const TensorId id = row == remoteStates_.end() ? stateNamed(name) : TensorId();
    for (std::size_t r = 0; r < values.size(); ++r)
        if (row != remoteStates_.end())
            remote_[r].at(row->second) = values[r].copy();
        else
            top_.values[r][id] = values[r].copy();
}

TensorId Machine::stateNamed(const std::string& name) const {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i)
        if (const Tensor& tensor = graph_.tensors[TensorId(i)];
            tensor.role == TensorRole::Weight && tensor.name == name)
            return TensorId(i);
    throw std::out_of_range(name);
}

} // namespace tilescope::sim
