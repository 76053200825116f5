#include "simulator/frontend/resolve/node.h"

namespace tilescope::sim {

namespace {

template <class T> const T* find(const Node& node, const std::string& attribute) {
    const auto at = node.attributes.find(attribute);
    return at == node.attributes.end() ? nullptr : std::get_if<T>(&at->second);
}

} // namespace

std::int64_t Node::integer(const std::string& attribute, std::int64_t fallback) const {
    const auto* value = find<std::int64_t>(*this, attribute);
    return value != nullptr ? *value : fallback;
}

double Node::real(const std::string& attribute, double fallback) const {
    const auto* value = find<double>(*this, attribute);
    return value != nullptr ? *value : fallback;
}

std::string Node::text(const std::string& attribute, const std::string& fallback) const {
    const auto* value = find<std::string>(*this, attribute);
    return value != nullptr ? *value : fallback;
}

std::vector<std::int64_t> Node::integers(const std::string& attribute) const {
    const auto* value = find<std::vector<std::int64_t>>(*this, attribute);
    return value != nullptr ? *value : std::vector<std::int64_t>();
}

std::vector<double> Node::reals(const std::string& attribute) const {
    const auto* value = find<std::vector<double>>(*this, attribute);
    return value != nullptr ? *value : std::vector<double>();
}

std::vector<std::string> Node::texts(const std::string& attribute) const {
    const auto* value = find<std::vector<std::string>>(*this, attribute);
    return value != nullptr ? *value : std::vector<std::string>();
}

} // namespace tilescope::sim
