// An embedding plan as layouts: where tables, looked-up rows and updates lie.
#pragma once

#include <vector>

#include "simulator/layout/layout.h"
#include "simulator/planner/embedding_plan.h"

namespace tilescope::sim {

class EmbeddingLayout {
public:
    explicit EmbeddingLayout(const EmbeddingPlan& plan);

    [[nodiscard]] const EmbeddingPlan& plan() const { return plan_; }

    /// The table, of whose atoms `width` are those of a row and `rows` those of the looked-up
    /// dimension. As a storage, look-up parts share its blocks; as a need each has them whole.
    enum class Use { Storage, Need };
    [[nodiscard]] Blocking table(const std::vector<int>& width, const std::vector<int>& rows,
                                 Use use) const;

    /// Rows for `count` indices, as atoms [count, before, rest of a row]: cut as the table's width
    /// and by look-up part; the row parts share a block.
    [[nodiscard]] Storage slices(std::int64_t count, std::int64_t before,
                                 std::int64_t elementBytes) const;
    /// The same where every row part has the whole block: before the right rows are picked, and
    /// what an update reads.
    [[nodiscard]] Blocking wholeSlices(std::int64_t count) const;

    /// The indices of a look-up part on all its tiles. `stored`: where they lie.
    [[nodiscard]] Blocking indices(const Blocking& stored) const;

private:
    [[nodiscard]] std::vector<Interval> widthBlocks() const;

    const EmbeddingPlan& plan_;
    TileDigit width_, rows_, lookups_;
};

} // namespace tilescope::sim
