#include "core/options/duplicate_keys.h"

#include <boost/json/basic_parser_impl.hpp>
#include <limits>
#include <set>
#include <vector>

namespace tilescope {
namespace {

using Code = boost::system::error_code;
using View = boost::json::string_view;

/// What boost::json::basic_parser calls; only objects and keys matter here.
struct KeyHandler {
    static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_object_size = any;
    static constexpr std::size_t max_array_size = any;
    static constexpr std::size_t max_key_size = any;
    static constexpr std::size_t max_string_size = any;

    std::vector<std::set<std::string>> keys; ///< of each open object
    std::string key;                         ///< the one being read

    bool on_object_begin(Code&) {
        keys.emplace_back();
        return true;
    }
    bool on_object_end(std::size_t, Code&) {
        keys.pop_back();
        return true;
    }
    bool on_key_part(View part, std::size_t, Code&) {
        key.append(part.data(), part.size());
        return true;
    }
    bool on_key(View part, std::size_t, Code& code) {
        key.append(part.data(), part.size());
        if (!keys.back().insert(key).second) {
            code = boost::json::error::extra_data; // ends the parser; which error does not matter
            return false;
        }
        key.clear();
        return true;
    }
    bool on_document_begin(Code&) { return true; }
    bool on_document_end(Code&) { return true; }
    bool on_array_begin(Code&) { return true; }
    bool on_array_end(std::size_t, Code&) { return true; }
    bool on_string_part(View, std::size_t, Code&) { return true; }
    bool on_string(View, std::size_t, Code&) { return true; }
    bool on_number_part(View, Code&) { return true; }
    bool on_int64(std::int64_t, View, Code&) { return true; }
    bool on_uint64(std::uint64_t, View, Code&) { return true; }
    bool on_double(double, View, Code&) { return true; }
    bool on_bool(bool, Code&) { return true; }
    bool on_null(Code&) { return true; }
    bool on_comment_part(View, Code&) { return true; }
    bool on_comment(View, Code&) { return true; }
};

} // namespace

std::optional<DuplicateKey> duplicateKey(std::string_view text) {
    boost::json::basic_parser<KeyHandler> parser{boost::json::parse_options()};
    Code code;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), code);
    KeyHandler& handler = parser.handler();
    if (!code || handler.key.empty())
        return std::nullopt;
    return DuplicateKey{std::move(handler.key), used};
}

} // namespace tilescope
