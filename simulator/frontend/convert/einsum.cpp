// Einsum: products of two operands at a time, each a batched matrix product or, where nothing is
// summed, an elementwise one.
#include "simulator/frontend/resolve/einsum.h"

#include <algorithm>

#include <fmt/format.h>

#include "simulator/frontend/convert/rows.h"
#include "simulator/frontend/resolve/index_rules.h"

namespace tilescope::sim {

namespace {

bool hasLabel(const std::string& labels, char label) {
    return labels.find(label) != std::string::npos;
}

class EinsumConverter {
public:
    explicit EinsumConverter(NodeConverter& node)
        : node_(node) {
        std::vector<Shape> shapes;
        for (std::size_t i = 0; i < node.operands(); ++i)
            shapes.push_back(node.shape(i));
        terms_ = parseEinsum(node.node().text("equation", ""), shapes);
    }

    void run() {
        Term sum = operand(0);
        for (std::size_t i = 1; i < node_.operands(); ++i)
            sum = product(sum, operand(i), wantedAfter(i));
        sum = summed(sum, terms_.result);
        sum = ordered(sum, terms_.result);
        node_.result(sum.tensor);
    }

private:
    struct Term {
        TensorId tensor;
        std::string labels;
    };

    std::string part(const char* name) { return fmt::format("{}{}", name, steps_++); }

    /// Labels of the result and of the operands after operand `i`.
    [[nodiscard]] std::string wantedAfter(std::size_t i) const {
        std::string labels = terms_.result;
        for (std::size_t next = i + 1; next < terms_.operands.size(); ++next)
            labels += terms_.operands[next];
        return labels;
    }

    /// An operand without repeated labels: their diagonal.
    Term operand(std::size_t i) {
        Term term{node_.input(i), terms_.operands[i]};
        for (std::size_t d = 0; d < term.labels.size(); ++d)
            while (std::count(term.labels.begin(), term.labels.end(), term.labels[d]) > 1)
                term = diagonal(term, d, term.labels.rfind(term.labels[d]));
        return term;
    }

    Term diagonal(Term term, std::size_t first, std::size_t second) {
        auto order = axesFrom(0, term.labels.size());
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(second));
        order.erase(order.begin() + static_cast<std::ptrdiff_t>(first));
        std::string labels;
        for (const std::int64_t d : order)
            labels += term.labels[static_cast<std::size_t>(d)];
        labels += term.labels[first];
        order.push_back(static_cast<std::int64_t>(first));
        order.push_back(static_cast<std::int64_t>(second));
        const TensorId last =
            order == axesFrom(0, order.size())
                ? term.tensor
                : node_.emit(part("transpose"), TransposeAttributes{order}, {term.tensor});
        Shape flat = node_.shapeOf(last);
        const std::int64_t size = flat.back();
        flat.pop_back();
        flat.back() = size * size;
        const TensorId square = node_.reshape(part("square"), last, flat);
        return {rowsFrom(node_, part("diagonal"), square, flat.size() - 1, 0, size, size + 1),
                labels};
    }

    /// Sums over the labels that are not wanted.
    Term summed(const Term& term, const std::string& wanted) {
        ReduceAttributes reduce{ReduceFunction::Add, {}, false};
        std::string kept;
        for (std::size_t d = 0; d < term.labels.size(); ++d) {
            if (hasLabel(wanted, term.labels[d]))
                kept += term.labels[d];
            else
                reduce.axes.push_back(static_cast<std::int64_t>(d));
        }
        if (reduce.axes.empty())
            return term;
        return {node_.emit(part("reduce"), reduce, {term.tensor}), kept};
    }

    Term ordered(const Term& term, const std::string& labels) {
        if (term.labels == labels)
            return term;
        TransposeAttributes transpose;
        for (const char label : labels)
            transpose.permutation.push_back(static_cast<std::int64_t>(term.labels.find(label)));
        return {node_.emit(part("transpose"), transpose, {term.tensor}), labels};
    }

    /// Dimensions of some labels as they are, then groups of labels as one dimension each.
    TensorId grouped(const Term& term, const std::string& batch,
                     const std::vector<std::string>& groups) {
        std::string labels = batch;
        for (const std::string& group : groups)
            labels += group;
        const Term inOrder = ordered(term, labels);
        const Shape own = node_.shapeOf(inOrder.tensor);
        Shape shape(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(batch.size()));
        auto next = own.begin() + static_cast<std::ptrdiff_t>(batch.size());
        for (const std::string& group : groups) {
            const auto end = next + static_cast<std::ptrdiff_t>(group.size());
            shape.push_back(elementsOf({next, end}));
            next = end;
        }
        return node_.reshape(part("reshape"), inOrder.tensor, shape);
    }

    Term product(Term a, Term b, const std::string& after) {
        a = summed(a, b.labels + after);
        b = summed(b, a.labels + after);
        std::string batch, contracted, left, right;
        for (const char label : a.labels) {
            if (!hasLabel(b.labels, label))
                left += label;
            else
                (hasLabel(after, label) ? batch : contracted) += label;
        }
        for (const char label : b.labels)
            if (!hasLabel(a.labels, label))
                right += label;
        TensorId made;
        if (contracted.empty()) {
            const TensorId first = grouped(a, batch, {left, ""});
            const TensorId second = grouped(b, batch, {"", right});
            made =
                node_.elementwise(part("multiply"), ElementwiseFunction::Multiply, {first, second});
        } else {
            const TensorId first = grouped(a, batch, {left, contracted});
            const TensorId second = grouped(b, batch, {contracted, right});
            made = node_.emit(part("matmul"), MatMulAttributes{}, {first, second});
        }
        const std::string labels = batch + left + right;
        return {node_.reshape(part("split"), made, einsumShape(terms_, labels)), labels};
    }

    NodeConverter& node_;
    EinsumTerms terms_;
    int steps_ = 0;
};

void convertEinsum(NodeConverter& node) {
    EinsumConverter(node).run();
}

} // namespace

void addEinsumConversions(ConversionTable& table) {
    table["Einsum"] = convertEinsum;
}

} // namespace tilescope::sim
