#include "simulator/frontend/resolve/operand_types.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>
#include <onnx/common/constants.h>
#include <onnx/defs/schema.h>

namespace tilescope::sim {
namespace {

using FormalOperand = onnx::OpSchema::FormalParameter;

const char* kindOf(bool real) {
    return real ? "reals" : "whole numbers";
}

/// By ONNX's name of the type, such as "tensor(float16)".
bool isRealType(std::string_view name) {
    return name.find("float") != std::string_view::npos ||
           name.find("double") != std::string_view::npos;
}

bool takes(const FormalOperand& formal, bool real) {
    const auto& types = formal.GetTypes();
    return std::any_of(types.begin(), types.end(),
                       [real](const auto& type) { return isRealType(*type) == real; });
}

[[noreturn]] void refuseType(const Node& node, std::size_t i, const Value& operand,
                             const std::string& wanted) {
    throw std::invalid_argument(fmt::format("its operand {} ('{}') is of type {}, {}; insert a "
                                            "Cast before it, or leave --compute out",
                                            i, node.inputs.at(i), toString(operand.type), wanted));
}

/// The declaration of the i-th operand; the last one may apply to all further ones.
const FormalOperand* formalOf(const onnx::OpSchema& schema, std::size_t i) {
    const auto& formals = schema.inputs();
    if (i < formals.size())
        return &formals[i];
    const bool goesOn = !formals.empty() && formals.back().GetOption() == onnx::OpSchema::Variadic;
    return goesOn ? &formals.back() : nullptr;
}

struct OperandAt {
    std::size_t index;
    const Value* value;
};

[[noreturn]] void refuseDifference(const Node& node, OperandAt first, OperandAt other) {
    refuseType(node, other.index, *other.value,
               fmt::format("and operand {} is {}, where {} takes one type", first.index,
                           toString(first.value->type), node.type));
}

/// ONNX has it of whole numbers, too, whose results are whole: no exporter means that.
constexpr std::string_view onlyOfReals = "Erf";

void checkBySchema(const Node& node, const OperandValues& operands, const onnx::OpSchema& schema) {
    std::map<std::string, OperandAt> firstOf;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const FormalOperand* formal = formalOf(schema, i);
        if (operands[i] == nullptr || formal == nullptr)
            continue;
        const bool real = isReal(operands[i]->type);
        if (!takes(*formal, real) || (!real && node.type == onlyOfReals))
            refuseType(node, i, *operands[i],
                       fmt::format("and {} takes {} there", node.type, kindOf(!real)));
        if (!formal->GetIsHomogeneous())
            continue;
        const auto [first, isFirst] =
            firstOf.try_emplace(formal->GetTypeStr(), OperandAt{i, operands[i]});
        if (!isFirst && isReal(first->second.value->type) != real)
            refuseDifference(node, first->second, {i, operands[i]});
    }
}

template <std::size_t n>
bool isAnyOf(const std::string& name, const std::array<std::string_view, n>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// PopART's operators have no schema. The first operand is data, the others are indices and sizes
/// except where two operands are combined.
void checkGraphcore(const Node& node, const OperandValues& operands) {
    static constexpr std::array<std::string_view, 9> ofReals{
        "Gelu", "GeluErf", "Swish", "Expm1", "Log1p", "Atan2", "Nll", "L1", "GroupNormalization"};
    static constexpr std::array<std::string_view, 5> ofWholeNumbers{
        "BitwiseNot", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseXnor"};
    static constexpr std::array<std::string_view, 8> ofTwo{
        "Atan2",     "Fmod",       "Remainder",   "BitwiseAnd",
        "BitwiseOr", "BitwiseXor", "BitwiseXnor", "CopyVarUpdate"};
    if (operands.empty() || operands[0] == nullptr)
        return;
    const bool real = isReal(operands[0]->type);
    if (real ? isAnyOf(node.type, ofWholeNumbers) : isAnyOf(node.type, ofReals))
        refuseType(node, 0, *operands[0],
                   fmt::format("and {} takes {} there", node.type, kindOf(!real)));
    if (operands.size() > 1 && operands[1] != nullptr && isAnyOf(node.type, ofTwo) &&
        isReal(operands[1]->type) != real)
        refuseDifference(node, {0, operands[0]}, {1, operands[1]});
}

} // namespace

void checkOperandTypes(const Node& node, const OperandValues& operands) {
    if (!node.domain.empty())
        return checkGraphcore(node, operands);
    // The newest known set: older ones leave out types that can still be computed.
    const auto* schema = onnx::OpSchemaRegistry::Schema(node.type, onnx::ONNX_DOMAIN);
    if (schema != nullptr)
        checkBySchema(node, operands, *schema);
}

} // namespace tilescope::sim
