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

std::int64_t LayerReader::integer(std::string_view key, std::int64_t least) const {
    const json::value* value = layer_.config.if_contains(key);
    if (value == nullptr)
        throw keyError(key, "is missing");
    return number(*value, key, least);
}

double LayerReader::realOr(std::string_view key, double otherwise) const {
    if (!has(key))
        return otherwise;
    const json::value& value = layer_.config.at(key);
    if (!value.is_number())
        throw keyError(key, "must be a number");
    return value.to_number<double>();
}

bool LayerReader::flag(std::string_view key, bool otherwise) const {
    if (!has(key))
        return otherwise;
    const json::value& value = layer_.config.at(key);
    if (!value.is_bool())
        throw keyError(key, "must be true or false");
    return value.get_bool();
}

std::string LayerReader::text(std::string_view key, std::string_view otherwise) const {
    if (!has(key))
        return std::string(otherwise);
    const json::value& value = layer_.config.at(key);
    if (!value.is_string())
        throw keyError(key, "must be text");
    return std::string(value.get_string());
}

std::vector<std::int64_t> LayerReader::integers(std::string_view key, std::size_t count,
                                                std::int64_t least) const {
    const json::value* value = layer_.config.if_contains(key);
    if (value == nullptr)
        throw keyError(key, "is missing");
    if (!value->is_array())
        return std::vector<std::int64_t>(count, number(*value, key, least));
    std::vector<std::int64_t> result;
    for (const json::value& entry : value->get_array())
        result.push_back(number(entry, key, least));
    if (result.size() != count)
        throw keyError(key, fmt::format("must have {} numbers", count));
    return result;
}

std::vector<std::int64_t> LayerReader::list(std::string_view key) const {
    const json::value* value = layer_.config.if_contains(key);
    if (value == nullptr)
        throw keyError(key, "is missing");
    if (!value->is_array())
        return {number(*value, key, -largestKerasSize)};
    std::vector<std::int64_t> result;
    for (const json::value& entry : value->get_array())
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
