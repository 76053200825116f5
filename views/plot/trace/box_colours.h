// The colours of boxes in an execution.
#pragma once

#include <QColor>
#include <array>
#include <vector>

#include "views/plot/trace/trace_rows.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// What the colours of an execution's boxes show.
enum class ColourBy {
    Kind,       ///< what a step is: compute, exchange, sync, copies with the host
    Operation,  ///< a colour for each type of operation, in shades for its operations
    Balance,    ///< active tile cycles as a share of all, on a scale
    Bytes,      ///< bytes exchanged in a cycle, on a scale
    Pass,       ///< forward or backward, of a pipeline
    MicroBatch, ///< a colour for each micro-batch of a pipeline's step
    Change      ///< cycles of the target as a share of the source's, from half to twice as many
};

/// `share` of the way from one opaque colour to another.
QRgb mixedColours(QRgb a, QRgb b, double share);

/// The colour of boxes that represent a group of steps of one kind: paler than the steps.
QColor groupColour(const Theme& theme, ProgramKind kind);

/// The n-th of many colours derived from the data's palette: first each hue, then darker and
/// lighter variants.
QColor tintColour(const Theme& theme, int n);
/// Shades of such a colour, for neighbours that belong together; 0 is the colour itself.
inline constexpr int tintShades = 3;

/// The number for tintColour() of a micro-batch, counted from 1: many share colours.
int microBatchTint(std::int64_t number, bool backward);

/// The colour of the n-th channel of the host's events.
QColor channelColour(const Theme& theme, int n);

/// The colour of boxes without an amount, an operation or a micro-batch.
QColor neutralColour(const Theme& theme);

/// The colour of boxes of steps that only one of two profiles has.
QColor unmatchedColour(const Theme& theme);

/// A place on the scale of amounts.
QColor amountColour(const Theme& theme, double amount);

/// The colours of a frame's boxes, mixed once for all of them.
class BoxColours {
public:
    BoxColours(const Theme& theme, ColourBy by);
    [[nodiscard]] BoxPaint of(const TraceBox& box) const;
    [[nodiscard]] QRgb surface() const { return surface_; }

private:
    [[nodiscard]] QRgb plain(const TraceBox& box) const {
        return kinds_[static_cast<std::size_t>(box.look) * programKinds.size() +
                      static_cast<std::size_t>(box.kind)];
    }
    [[nodiscard]] BoxPaint ofKinds(const TraceBox& box) const;
    [[nodiscard]] BoxPaint ofParts(const TraceBox& box) const;
    [[nodiscard]] BoxPaint ofChannels(const TraceBox& box) const;

    static constexpr std::size_t tints = 192; ///< more types of operations share colours
    static constexpr std::size_t steps = 256; ///< of the scale
    ColourBy by_;
    QRgb surface_ = 0;
    QRgb run_ = 0;
    QRgb neutral_ = 0;                                  ///< without amount and operation
    QRgb unmatched_ = 0;                                ///< of what only one of two profiles has
    std::array<QRgb, 3 * programKinds.size()> kinds_{}; ///< by look and kind
    static constexpr std::size_t channels = 24;         ///< more of them share colours
    std::vector<QRgb> channels_;
    std::vector<QRgb> tints_;
    std::vector<QRgb> scale_;
};

} // namespace tilescope::views
