#include "simulator/frontend/keras/layer_reader.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace tilescope::sim {

namespace json = boost::json;

UserError LayerReader::error(std::string_view what) const {
    return UserError(
        fmt::format("{}: layer '{}' ({}): {}", origin_, layer_.name, layer_.type, what));
}

UserError LayerReader::keyError(std::string_view key, std::string_view what) const {
    return error(fmt::format("'{}' {}", key, what));
}

bool LayerReader::has(std::string_view key) const {
    const json::value* value = layer_.config.if_contains(key);
    return value != nullptr && !value->is_null();
}

std::int64_t LayerReader::number(const json::value& value, std::string_view key,
                                 std::int64_t least) const {
    std::int64_t result = least - 1;
    if (value.is_int64())
        result = value.get_int64();
    else if (value.is_double() &&
             value.get_double() == static_cast<double>(static_cast<std::int32_t>(
                                       std::max(-1e9, std::min(1e9, value.get_double())))))
        result = static_cast<std::int64_t>(value.get_double());
    if (result < least || result > largestKerasSize)
        throw keyError(key, fmt::format("must have whole numbers from {}", least));
    return result;
}

const json::value& LayerReader::valueOf(std::string_view key) const {
    const json::value* value = layer_.config.if_contains(key);
    if (value == nullptr)
        throw keyError(key, "is missing");
    return *value;
}

std::int64_t LayerReader::integer(std::string_view key, std::int64_t least) const {
    return number(valueOf(key), key, least);
}

template <class T>
T LayerReader::valueOr(std::string_view key, T otherwise, std::string_view what) const {
    if (!has(key))
        return otherwise;
    const auto value = json::try_value_to<T>(layer_.config.at(key));
    if (!value)
        throw keyError(key, fmt::format("must be {}", what));
    return *value;
}

double LayerReader::realOr(std::string_view key, double otherwise) const {
    return valueOr(key, otherwise, "a number");
}

bool LayerReader::flag(std::string_view key, bool otherwise) const {
    return valueOr(key, otherwise, "true or false");
}

std::string LayerReader::text(std::string_view key, std::string_view otherwise) const {
    return valueOr(key, std::string(otherwise), "text");
}

std::vector<std::int64_t> LayerReader::integers(std::string_view key, std::size_t count,
                                                std::int64_t least) const {
    const json::value& value = valueOf(key);
    if (!value.is_array())
        return std::vector<std::int64_t>(count, number(value, key, least));
    std::vector<std::int64_t> result;
    for (const json::value& entry : value.get_array())
        result.push_back(number(entry, key, least));
    if (result.size() != count)
        throw keyError(key, fmt::format("must have {} numbers", count));
    return result;
}

std::vector<std::int64_t> LayerReader::list(std::string_view key) const {
    const json::value& value = valueOf(key);
    if (!value.is_array())
        return {number(value, key, -largestKerasSize)};
    std::vector<std::int64_t> result;
    for (const json::value& entry : value.get_array())
        result.push_back(number(entry, key, -largestKerasSize));
    return result;
}

std::int64_t LayerReader::batchOf(std::string_view key) const {
    const json::value* value = layer_.config.if_contains(key);
    const json::array* sizes = value == nullptr ? nullptr : value->if_array();
    if (sizes == nullptr || sizes->empty())
        throw keyError(key, "must be a list of sizes, the batch first");
    return sizes->front().is_null() ? 0 : number(sizes->front(), key, 1);
}

Shape LayerReader::batchShape(std::string_view key) const {
    static_cast<void>(batchOf(key));
    const json::array& sizes = layer_.config.at(key).get_array();
    Shape shape;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
        if (sizes[i].is_null())
            throw keyError(key, "leaves a size other than the batch open (null); give its number, "
                                "as the IPU's programs "
                                "have fixed shapes");
        shape.push_back(number(sizes[i], key, 1));
    }
    return shape;
}

std::string LayerReader::function(std::string_view key) const {
    if (!has(key))
        return "";
    const json::value& value = layer_.config.at(key);
    if (value.is_string())
        return value.get_string() == "linear" ? "" : std::string(value.get_string());
    // Keras 3 may write a function as an object of its module and name.
    if (const json::object* object = value.if_object())
        if (const json::value* name = object->if_contains("config");
            name != nullptr && name->is_string())
            return name->get_string() == "linear" ? "" : std::string(name->get_string());
    throw keyError(key,
                   "is a function of your own; only Keras's functions are known, by their names");
}

} // namespace tilescope::sim
