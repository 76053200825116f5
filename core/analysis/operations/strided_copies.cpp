#include "core/analysis/operations/strided_copies.h"

#include <algorithm>
#include <map>

namespace tilescope {

std::vector<StridedOperation> stridedOperations(const IdVector<CopyId, Copy>& copies,
                                                const IdVector<ComputeSetId, ComputeSet>& sets,
                                                const IdVector<ExchangeId, Exchange>& exchanges) {
    const auto cyclesOf = [&](CopyId id) { return sets[copies[id].computeSet].cycles.max().value; };
    std::map<OperationId, StridedOperation> found;
    for (std::size_t i = 0; i < copies.size(); ++i) {
        const CopyId id(i);
        const Copy& copy = copies[id];
        if (!copy.strided)
            continue;
        StridedOperation& entry = found[sets[copy.computeSet].operation];
        const std::int64_t moved =
            copy.exchange.valid() ? exchanges[copy.exchange].cycles.max().value : 0;
        entry.copies.push_back(id);
        entry.copyCycles += cyclesOf(id);
        entry.transposed += copy.transposed ? 1 : 0;
        entry.exchangeCycles += moved;
        entry.gainCycles += cyclesOf(id) + (copy.cause == CopyCause::FirstOperand ? moved : 0);
    }
    const auto add = [&](OperationId operation, std::int64_t cycles) {
        if (const auto entry = found.find(operation); entry != found.end())
            entry->second.allCycles += cycles;
    };
    for (const ComputeSet& set : sets)
        add(set.operation, set.cycles.max().value);
    for (const Exchange& exchange : exchanges)
        add(exchange.operation, exchange.cycles.max().value);
    std::vector<StridedOperation> operations;
    for (auto& [id, entry] : found) {
        entry.operation = id;
        std::stable_sort(entry.copies.begin(), entry.copies.end(),
                         [&](CopyId a, CopyId b) { return cyclesOf(a) > cyclesOf(b); });
        operations.push_back(std::move(entry));
    }
    std::stable_sort(operations.begin(), operations.end(),
                     [](const StridedOperation& a, const StridedOperation& b) {
                         return a.copyCycles > b.copyCycles;
                     });
    return operations;
}

} // namespace tilescope
