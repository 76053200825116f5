// What the Values report shows of one or two computed runs, made on a worker thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include <QString>

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/values/heat_maps.h"
#include "core/table/table.h"

namespace tilescope::views {

/// A tensor of the source, of the target, or of both.
struct ValuePair {
    ValueTensorId source, target;
};

struct ValuesContent {
    std::shared_ptr<const ProfileValues> source;
    std::shared_ptr<const ProfileValues> target; ///< null unless two profiles are open
    std::vector<ValuePair> pairs;
    Table tensors; ///< a row for each pair; the rows' ids are places in `pairs`
    Table epochs;
    Table updates;

    [[nodiscard]] bool comparing() const { return target != nullptr; }
    [[nodiscard]] bool empty() const {
        return source->empty() && (target == nullptr || target->empty());
    }
    [[nodiscard]] bool trains() const;
    /// The source's tensor, the target's where the source lacks it.
    [[nodiscard]] const ValueTensor& tensorOf(int pair) const;
    /// Where the axis of iterations ends.
    [[nodiscard]] std::int64_t lastIteration() const;
};
ValuesContent readValues(const ProfilePair& profiles, const std::stop_token& stop);

/// The rows of the table of tensors of one kind, or of all.
Table tensorsOfKind(const ValuesContent& content, std::optional<ValueKind> kind);

/// The samples of a tensor as a table: source, then target, each with its own iterations.
Table samplesTable(const ValuesContent& content, int pair);

/// The pair for a selection: that of the tensor or, for an operation, the one shown now if it is
/// the operation's, else its first in the order of the graph; -1 for none.
int pairOf(const ValuesContent& content, ValueTensorId tensor, OperationId operation, int shown);

/// The pair to begin with: the one with the largest share of lost elements, else the first; -1 if
/// there is none.
int mostLost(const ValuesContent& content);

/// "conv1/weights/grad: gradient, half [64,3,7,7], of conv1"
QString tensorText(const ValueTensor& tensor);

} // namespace tilescope::views
