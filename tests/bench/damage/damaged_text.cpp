#include "tests/bench/damage/damaged_text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <onnx/onnx_pb.h>
#include <vector>

namespace tilescope::bench {

using test::Draw;

std::string damagedBytes(std::string bytes, const Draw& draw) {
    for (std::uint64_t changes = 1 + draw(4); changes > 0; --changes) {
        if (bytes.empty())
            return std::string(draw(64), static_cast<char>(draw(256)));
        const std::size_t at = draw(bytes.size());
        switch (draw(6)) {
        case 0:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << draw(8)));
            break;
        case 1:
            bytes.resize(at);
            break;
        case 2:
            bytes.insert(at, bytes.substr(draw(bytes.size()), draw(32)));
            break;
        case 3:
            bytes.replace(at, 1 + draw(8), std::string(draw(9), draw(2) == 0 ? '\xFF' : '\0'));
            break;
        case 4:
            bytes.erase(at, 1 + draw(16));
            break;
        default:
            bytes[at] = static_cast<char>(draw(256));
        }
    }
    return bytes;
}

std::string damagedText(std::string text, const Draw& draw) {
    static constexpr std::array<const char*, 28> words{"0",
                                                       "-1",
                                                       "1e999",
                                                       "1e9",
                                                       "65536",
                                                       "4294967297",
                                                       "9223372036854775807",
                                                       "0.5",
                                                       "null",
                                                       "true",
                                                       "[]",
                                                       "{}",
                                                       "[[[[",
                                                       "\"\"",
                                                       "\"x\"",
                                                       "\"\\u0001\"",
                                                       "NaN",
                                                       "-0",
                                                       "3",
                                                       "\"half\"",
                                                       "1000000007",
                                                       "\"..\"",
                                                       "\"/\"",
                                                       "2147483648",
                                                       "1e-300",
                                                       ",",
                                                       ":",
                                                       "\\ud800"};
    if (draw(2) == 0) { // gently: most damage is refused by whoever reads the text
        text = otherValue(std::move(text), draw);
        return draw(2) == 0 ? otherValue(std::move(text), draw) : text;
    }
    for (std::uint64_t changes = 1 + draw(3); changes > 0; --changes) {
        const char* digits = draw(2) == 0 ? "0123456789" : "0123456789\"[{tfn";
        const std::size_t begin = text.find_first_of(digits, draw(text.size() + 1));
        if (begin == std::string::npos || draw(5) == 0) {
            text = damagedBytes(std::move(text), draw);
            continue;
        }
        const std::size_t end = text.find_first_of(",]}: \n", begin);
        text.replace(begin, std::min(end, text.size()) - begin, words[draw(words.size())]);
    }
    return text;
}

std::string otherValue(std::string text, const Draw& draw) {
    static constexpr std::array<const char*, 20> values{
        "0",          "1",     "-1",    "2",          "3",
        "5",          "7",     "64",    "1000",       "0.5",
        "true",       "false", "null",  "[]",         "65536",
        "1000000000", "1e9",   "1e300", "4294967297", "9223372036854775807"};
    std::vector<std::size_t> begins;
    for (std::size_t at = text.find_first_of(":[,"); at != std::string::npos;
         at = text.find_first_of(":[,", at + 1)) {
        const std::size_t begin = text.find_first_not_of(" \n", at + 1);
        if (begin != std::string::npos &&
            std::string("-0123456789tfn").find(text[begin]) != std::string::npos)
            begins.push_back(begin);
    }
    if (begins.empty())
        return text;
    const std::size_t begin = begins[draw(begins.size())];
    const std::size_t end = std::min(text.find_first_of(",]} \n", begin), text.size());
    return text.replace(begin, end - begin, values[draw(values.size())]);
}

namespace {

using Setter = std::function<void(std::int64_t)>;

void addTypes(std::vector<Setter>& setters, onnx::TypeProto& type, const Draw& draw) {
    auto& tensor = *type.mutable_tensor_type();
    constexpr int lastType = 16; // bfloat16
    setters.emplace_back([&tensor, kind = static_cast<int>(draw(lastType))](std::int64_t) {
        tensor.set_elem_type(kind + 1);
    });
    for (auto& dim : *tensor.mutable_shape()->mutable_dim())
        setters.emplace_back([&dim](std::int64_t number) { dim.set_dim_value(number); });
}

void addAttribute(std::vector<Setter>& setters, onnx::AttributeProto& attribute) {
    if (attribute.type() == onnx::AttributeProto::INT)
        setters.emplace_back([&attribute](std::int64_t number) { attribute.set_i(number); });
    for (int i = 0; i < attribute.ints_size(); ++i)
        setters.emplace_back(
            [&attribute, i](std::int64_t number) { attribute.set_ints(i, number); });
}

} // namespace

void changeNumber(onnx::ModelProto& model, const Draw& draw) {
    static constexpr std::array<std::int64_t, 20> numbers{0,
                                                          1,
                                                          1,
                                                          2,
                                                          2,
                                                          3,
                                                          4,
                                                          5,
                                                          6,
                                                          7,
                                                          -1,
                                                          -2,
                                                          16,
                                                          63,
                                                          257,
                                                          4096,
                                                          65536,
                                                          1 << 20,
                                                          1'000'000'007,
                                                          4'294'967'297};
    auto& graph = *model.mutable_graph();
    std::vector<Setter> setters;
    for (auto& input : *graph.mutable_input())
        addTypes(setters, *input.mutable_type(), draw);
    for (auto& node : *graph.mutable_node())
        for (auto& attribute : *node.mutable_attribute())
            addAttribute(setters, attribute);
    for (auto& tensor : *graph.mutable_initializer())
        for (int i = 0; i < tensor.dims_size(); ++i)
            setters.emplace_back([&tensor, i](std::int64_t number) { tensor.set_dims(i, number); });
    if (!setters.empty())
        setters[draw(setters.size())](numbers[draw(numbers.size())]);
}

} // namespace tilescope::bench
