#include "core/base/indented_json.h"

#include <boost/json.hpp>

namespace tilescope {
namespace json = boost::json;
namespace {

// boost's own writer has no line breaks.
void indent(std::string& out, const json::value& value, int depth) {
    const json::object* object = value.if_object();
    if (object == nullptr || object->empty()) {
        out += json::serialize(value);
        return;
    }
    const std::string margin(static_cast<std::size_t>(depth + 1) * 2, ' ');
    const char* separator = "{\n";
    for (const auto& [key, child] : *object) {
        out += separator + margin + json::serialize(json::string(key)) + ": ";
        indent(out, child, depth + 1);
        separator = ",\n";
    }
    out += "\n" + margin.substr(2) + "}";
}

} // namespace

std::string indentedJson(const json::value& value) {
    std::string text;
    indent(text, value, 0);
    return text + "\n";
}

} // namespace tilescope
