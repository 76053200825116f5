#include "core/options/json_input.h"

#include <algorithm>
#include <boost/json.hpp>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/options/option_values.h"

namespace tilescope {
namespace {

[[noreturn]] void fail(std::string_view text, std::size_t at, const std::string& origin,
                       const std::string& reason) {
    const std::string_view before = text.substr(0, std::min(at, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    throw UserError(fmt::format("{}:{}:{}: not valid JSON: {}", origin, line,
                                before.size() - lineStart + 1, reason));
}

} // namespace

boost::json::value parseJson(std::string_view text, const std::string& origin) {
    boost::json::parser parser;
    boost::system::error_code error;
    const std::size_t used = parser.write_some(text.data(), text.size(), error);
    if (error)
        fail(text, used, origin,
             error == boost::json::error::incomplete ? "it ends too early" : error.message());
    const std::size_t rest = text.find_first_not_of(" \t\r\n", used);
    if (rest != std::string_view::npos)
        fail(text, rest, origin, "something follows the end of the value");
    return parser.release();
}

std::string optionText(const boost::json::value& value, bool plainBooleans) {
    if (value.is_string())
        return std::string(value.as_string());
    if (value.is_bool())
        return plainBooleans ? (value.as_bool() ? "true" : "false")
                             : (value.as_bool() ? "on" : "off");
    if (value.is_double())
        return numberText(value.as_double());
    return boost::json::serialize(value);
}

} // namespace tilescope
