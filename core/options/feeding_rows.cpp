// Rows of the option table: how the host feeds the machine.
#include "core/options/option_rows.h"

namespace tilescope {

std::vector<OptionSpec> feedingRows() {
    using Type = OptionSpec::Type;
    return {
        notYet(
            row("ioTiles", "--io-tiles", Type::Integer, "0", "tiles set aside for host streams")),
        notYet(row("prefetchDepth", "--prefetch-depth", Type::Integer, "1",
                   "batches that the host prepares ahead")),
    };
}

} // namespace tilescope
