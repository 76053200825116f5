#include "simulator/frontend/custom/custom_operations.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <boost/json.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/formula.h"
#include "core/options/option_values.h"

namespace tilescope::sim {
namespace {

namespace json = boost::json;

constexpr std::array layoutNames{std::pair{"like-result", CustomLayout::LikeResult},
                                 std::pair{"linear", CustomLayout::Linear},
                                 std::pair{"everywhere", CustomLayout::Everywhere}};

// Defaults for declarations without them, *assumed*: a vertex with two pointers and two sizes, and
// a codelet with an inner loop for each worker.
constexpr std::int64_t usualStateBytes = 16;
constexpr std::int64_t usualCodeBytes = 600;

class CustomReader {
public:
    CustomReader(const std::string& file, std::string name, const json::value& value)
        : file_(file)
        , name_(std::move(name)) {
        if (!value.is_object())
            fail("must be an object with the keys vertex, inputs and cycles");
        object_ = &value.get_object();
    }

    CustomOperation run() {
        static constexpr std::array known{"vertex",    "inputs",     "result", "cycles",
                                          "codeBytes", "stateBytes", "flops",  "temporaryBytes"};
        if (name_.find('.') == std::string::npos)
            fail("must have the domain of its nodes before its name, such as custom.ops.MyCube");
        for (const auto& [key, value] : *object_)
            if (std::find(known.begin(), known.end(), key) == known.end())
                failAt(key, fmt::format("is no key; the keys are {}", fmt::join(known, ", ")));
        CustomOperation made;
        made.inputs = layouts();
        made.cost.vertex = text("vertex", "");
        if (made.cost.vertex.empty())
            failAt("vertex", "must be the name of a vertex class, such as MyCube<float>");
        made.cost.cycles = formula("cycles", made, "");
        made.cost.stateBytes = formula("stateBytes", made, std::to_string(usualStateBytes));
        made.cost.temporaryBytes = formula("temporaryBytes", made, "0");
        made.cost.flops = formula("flops", made, "0");
        made.cost.codeBytes = bytes("codeBytes", usualCodeBytes);
        result(made);
        return made;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(fmt::format("{}: operation '{}': {}", file_, name_, what));
    }
    [[noreturn]] void failAt(std::string_view key, const std::string& what) const {
        fail(fmt::format("'{}' {}", key, what));
    }

    [[nodiscard]] std::string text(std::string_view key, std::string otherwise) const {
        const json::value* value = object_->if_contains(key);
        if (value == nullptr)
            return otherwise;
        if (value->is_int64())
            return std::to_string(value->get_int64());
        if (!value->is_string())
            failAt(key, "must be a text");
        return std::string(value->get_string());
    }

    [[nodiscard]] std::int64_t bytes(std::string_view key, std::int64_t otherwise) const {
        constexpr std::int64_t most = 1 << 20; // more than a tile has
        const json::value* value = object_->if_contains(key);
        if (value == nullptr)
            return otherwise;
        if (!value->is_int64() || value->get_int64() < 0 || value->get_int64() > most)
            failAt(key, fmt::format("must be a whole number from 0 to {}", most));
        return value->get_int64();
    }

    [[nodiscard]] std::vector<CustomLayout> layouts() const {
        constexpr std::size_t mostOperands = 64;
        const json::value* value = object_->if_contains("inputs");
        if (value == nullptr || !value->is_array() || value->get_array().empty() ||
            value->get_array().size() > mostOperands)
            failAt("inputs", "must be a list with the layout of each operand: like-result, linear "
                             "or everywhere");
        std::vector<CustomLayout> result;
        for (const json::value& entry : value->get_array()) {
            const auto found =
                std::find_if(layoutNames.begin(), layoutNames.end(), [&](const auto& layout) {
                    return entry.is_string() && entry.get_string() == layout.first;
                });
            if (found == layoutNames.end())
                failAt("inputs", "must have the layouts like-result, linear or everywhere");
            result.push_back(found->second);
        }
        return result;
    }

    /// A formula, tried with ones; dimensions are only defined in the shape's formulas.
    [[nodiscard]] std::string formula(std::string_view key, const CustomOperation& made,
                                      std::string otherwise) const {
        const std::string text = this->text(key, std::move(otherwise));
        if (text.empty())
            failAt(key, "is missing: give the cycles of a tile as a formula, such as "
                        "\"20 + 3 * ceil(n / workers)\"");
        FormulaValues values{{"n", 1}, {"N", 1}, {"workers", 6}, {"tiles", 1}};
        for (std::size_t i = 0; i < made.inputs.size(); ++i) {
            values[fmt::format("in{}", i)] = 1;
            values[fmt::format("IN{}", i)] = 1;
        }
        try {
            evaluateFormula(text, values);
        } catch (const std::invalid_argument& error) {
            failAt(key, error.what());
        }
        return text;
    }

    void result(CustomOperation& made) const {
        const json::value* value = object_->if_contains("result");
        if (value == nullptr)
            return;
        if (!value->is_object())
            failAt("result", "must be an object with the keys shape and type");
        if (const json::value* type = value->get_object().if_contains("type")) {
            made.type = type->is_string() ? std::string(type->get_string()) : "";
            if (made.type != "float" && made.type != "half" && made.type != "int")
                failAt("result", "must have a type of float, half or int");
        }
        const json::value* shape = value->get_object().if_contains("shape");
        if (shape == nullptr)
            return;
        constexpr std::size_t mostDimensions = 16;
        if (!shape->is_array() || shape->get_array().size() > mostDimensions)
            failAt("result",
                   "must have a shape that is a list of formulas, such as [\"in0_0\", 8]");
        for (const json::value& size : shape->get_array()) {
            if (!size.is_string() && !size.is_int64())
                failAt("result", "must have sizes that are numbers or formulas, such as \"in0_0\"");
            made.shape.push_back(size.is_string() ? std::string(size.get_string())
                                                  : std::to_string(size.get_int64()));
        }
    }

    const std::string& file_;
    std::string name_;
    const json::object* object_ = nullptr;
};

} // namespace

CustomOperations readCustomOperations(const std::filesystem::path& file) {
    const std::string origin = file.string();
    const json::value parsed = parseJson(readFile(file), origin);
    if (!parsed.is_object() || parsed.get_object().empty())
        throw UserError(fmt::format("{}: must be a JSON object with an entry for each operation, "
                                    "such as \"custom.ops.MyCube\"",
                                    origin));
    CustomOperations operations;
    for (const auto& [name, value] : parsed.get_object())
        operations[std::string(name)] = CustomReader(origin, std::string(name), value).run();
    return operations;
}

} // namespace tilescope::sim
