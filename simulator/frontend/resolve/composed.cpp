#include "simulator/frontend/resolve/resolve.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace tilescope::sim {

namespace {

/// Constants of files are rounded to a few digits.
bool isNear(double value, double wanted) {
    return std::abs(value - wanted) <= 1e-3 * wanted;
}

class GeluPattern {
public:
    explicit GeluPattern(ResolvedModel& model)
        : model_(model) {
        for (std::size_t i = 0; i < model.nodes.size(); ++i)
            for (const std::string& output : model.nodes[i].outputs)
                makers_[output] = i;
    }

    void run() {
        int count = 0;
        for (Node& node : model_.nodes) {
            const auto found = node.type == "Mul" ? argumentOf(node) : std::nullopt;
            if (!found)
                continue;
            const std::string& x = found->x;
            for (const std::string& input : node.inputs)
                if (!input.empty())
                    --model_.values.at(input).uses;
            ++model_.values.at(x).uses;
            node.type = "Gelu";
            node.inputs = {x};
            node.attributes["approximate"] = std::string(found->byTanh ? "tanh" : "none");
            ++count;
        }
        if (count > 0)
            model_.messages.push_back(
                {Severity::Info, fmt::format("{} composed GELU functions run as one operation "
                                             "each (popnn GELU)",
                                             count)});
    }

private:
    [[nodiscard]] const Node* maker(const std::string& value, std::string_view type) const {
        const auto at = makers_.find(value);
        if (at == makers_.end() || model_.nodes[at->second].key() != type)
            return nullptr;
        return &model_.nodes[at->second];
    }

    [[nodiscard]] std::optional<double> number(const std::string& value) const {
        const auto at = model_.values.find(value);
        if (at == model_.values.end() || !at->second.data || at->second.data->size() != 1)
            return std::nullopt;
        return at->second.data->real(0);
    }

    /// A product of numbers and other values.
    struct Factors {
        double number = 1;
        std::vector<std::string> values;
    };

    void collect(const std::string& value, int depth, Factors& factors) const {
        constexpr int deepest = 4; // no form has more factors
        if (const auto known = number(value)) {
            factors.number *= *known;
            return;
        }
        const Node* product = maker(value, "Mul");
        if (product == nullptr || depth == deepest) {
            const Node* quotient = maker(value, "Div");
            const auto divisor = quotient ? number(quotient->inputs.at(1)) : std::nullopt;
            if (!divisor || *divisor == 0) {
                factors.values.push_back(value);
                return;
            }
            factors.number /= *divisor;
            collect(quotient->inputs.at(0), depth + 1, factors);
            return;
        }
        for (const std::string& input : product->inputs)
            collect(input, depth + 1, factors);
    }

    [[nodiscard]] Factors factorsOf(const std::string& value) const {
        Factors factors;
        collect(value, 0, factors);
        return factors;
    }

    /// The operand of an Add that is not the number `wanted`.
    [[nodiscard]] std::optional<std::string> besides(const std::string& sum, double wanted) const {
        const Node* add = maker(sum, "Add");
        if (add == nullptr)
            return std::nullopt;
        for (const std::size_t i : {0, 1})
            if (const auto known = number(add->inputs.at(i)); known && isNear(*known, wanted))
                return add->inputs.at(1 - i);
        return std::nullopt;
    }

    [[nodiscard]] bool isScaled(const std::string& value, const std::string& x,
                                double factor) const {
        const Factors factors = factorsOf(value);
        return factors.values == std::vector{x} && isNear(factors.number, factor);
    }

    /// 0.044715 x^3, with a power or products.
    [[nodiscard]] bool isCubicTerm(const std::string& value, const std::string& x) const {
        const Factors factors = factorsOf(value);
        if (!isNear(factors.number, 0.044715))
            return false;
        if (factors.values.size() == 1)
            if (const Node* power = maker(factors.values[0], "Pow"))
                return power->inputs.at(0) == x && number(power->inputs.at(1)) == 3;
        return factors.values == std::vector{x, x, x};
    }

    /// sqrt(2/pi) (x + 0.044715 x^3)
    [[nodiscard]] bool isTanhArgument(const std::string& value, const std::string& x) const {
        const Factors factors = factorsOf(value);
        if (factors.values.size() != 1 ||
            !isNear(factors.number, std::sqrt(2 * std::numbers::inv_pi)))
            return false;
        const Node* sum = maker(factors.values[0], "Add");
        return sum != nullptr && ((sum->inputs[0] == x && isCubicTerm(sum->inputs[1], x)) ||
                                  (sum->inputs[1] == x && isCubicTerm(sum->inputs[0], x)));
    }

    struct Argument {
        std::string x;
        bool byTanh = false;
    };

    /// x, if the product is x/2 * (1 + erf or tanh of x).
    [[nodiscard]] std::optional<Argument> argumentOf(const Node& product) const {
        const Factors factors = factorsOf(product.outputs.at(0));
        if (factors.values.size() != 2 || !isNear(factors.number, 0.5))
            return std::nullopt;
        for (const std::size_t i : {0, 1}) {
            const std::string& x = factors.values[i];
            const auto function = besides(factors.values[1 - i], 1);
            if (!function)
                continue;
            const Node* erf = maker(*function, "Erf");
            if (erf && isScaled(erf->inputs.at(0), x, std::numbers::sqrt2 / 2))
                return Argument{x, false};
            const Node* tanh = maker(*function, "Tanh");
            if (tanh && isTanhArgument(tanh->inputs.at(0), x))
                return Argument{x, true};
        }
        return std::nullopt;
    }

    ResolvedModel& model_;
    std::unordered_map<std::string, std::size_t> makers_;
};

} // namespace

void removeIdentities(ResolvedModel& model) {
    std::unordered_map<std::string, std::string> same;
    const auto isRemoved = [&](Node& node) {
        for (std::string& input : node.inputs)
            if (const auto at = same.find(input); at != same.end()) {
                --model.values.at(input).uses;
                input = at->second;
                ++model.values.at(input).uses;
            }
        if (node.key() != "Identity" || !node.attributes.empty())
            return false;
        const std::string& made = node.outputs.at(0);
        same.emplace(made, node.inputs.at(0));
        if (std::find(model.outputs.begin(), model.outputs.end(), made) != model.outputs.end())
            return false;
        --model.values.at(node.inputs.at(0)).uses;
        return true;
    };
    std::vector<Node> kept;
    for (Node& node : model.nodes)
        if (!isRemoved(node))
            kept.push_back(std::move(node));
    model.nodes = std::move(kept);
}

void recogniseGelu(ResolvedModel& model) {
    GeluPattern(model).run();
}

} // namespace tilescope::sim
