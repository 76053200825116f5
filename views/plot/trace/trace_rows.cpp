#include "views/plot/trace/trace_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope::views {

namespace {

/// Parts of a pixel smaller than this are invisible: narrower boxes are drawn this wide, and paler.
constexpr double leastSeen = 0.3;

/// The sum of all boxes in one pixel.
struct PixelSum {
    float red = 0, green = 0, blue = 0; ///< weighted
    float weight = 0;                   ///< pixels that boxes really take
    float seen = 0;                     ///< the same, with narrow boxes as wide as drawn
    float most = 0;                     ///< weight of `box`
    std::size_t box = 0;

    void add(const BoxPaint& paint, std::size_t at, double amount, double shown) {
        const auto share = static_cast<float>(amount);
        red += share * static_cast<float>((paint.colour >> 16) & 0xff);
        green += share * static_cast<float>((paint.colour >> 8) & 0xff);
        blue += share * static_cast<float>(paint.colour & 0xff);
        weight += share;
        seen += static_cast<float>(shown);
        if (share > most) {
            most = share;
            box = at;
        }
    }
    [[nodiscard]] std::uint32_t colour() const {
        const auto channel = [this](float sum) {
            return static_cast<std::uint32_t>(sum / weight + 0.5F) & 0xff;
        };
        return 0xff000000 | channel(red) << 16 | channel(green) << 8 | channel(blue);
    }
    [[nodiscard]] double coverage() const {
        return std::min<double>(1, std::max<double>(weight, std::min<double>(seen, leastSeen)));
    }
};

/// Boxes of a row with their places in pixels.
class ScreenFiller {
public:
    explicit ScreenFiller(int pixels)
        : pixels_(pixels)
        , sums_(static_cast<std::size_t>(pixels)) {}

    void add(const BoxPaint& paint, std::size_t at, double left, double right) {
        const double width = right - left;
        if (width >= leastSeen)
            return fill(paint, at, left, right, 1);
        const double middle = (left + right) / 2;
        // Even a box of almost no width needs a visible colour.
        constexpr double least = 1e-4;
        fill(paint, at, middle - leastSeen / 2, middle + leastSeen / 2,
             std::max(least, width / leastSeen));
    }

    std::vector<BoxOnScreen> finish() {
        std::vector<BoxOnScreen> screen;
        auto run = runs_.begin();
        for (int x = 0; x < pixels_;) {
            if (run != runs_.end() && run->x0 == x) {
                screen.push_back(*run);
                x = run++->x1;
                continue;
            }
            const PixelSum& sum = sums_[static_cast<std::size_t>(x)];
            if (sum.weight > 0)
                screen.push_back({x, x + 1, sum.box, sum.coverage(), sum.colour()});
            ++x;
        }
        return screen;
    }

private:
    /// `dense`: how much of it is really taken.
    void fill(const BoxPaint& paint, std::size_t at, double left, double right, double dense) {
        left = std::clamp(left, 0.0, static_cast<double>(pixels_));
        right = std::clamp(right, left, static_cast<double>(pixels_));
        const double amount = dense * paint.filled;
        const int first = std::min(static_cast<int>(left), pixels_ - 1);
        const int last = static_cast<int>(right);
        if (last <= first)
            return share(first, paint, at, right - left, amount);
        int whole = first;
        if (left > first)
            share(whole++, paint, at, first + 1 - left, amount);
        if (last > whole)
            runs_.push_back({whole, last, at, paint.filled, paint.colour});
        if (right > last)
            share(last, paint, at, right - last, amount);
    }

    void share(int pixel, const BoxPaint& paint, std::size_t at, double wide, double amount) {
        if (wide > 0)
            sums_[static_cast<std::size_t>(pixel)].add(paint, at, wide * amount, wide);
    }

    int pixels_;
    std::vector<PixelSum> sums_;
    std::vector<BoxOnScreen> runs_; ///< pixels that are of one box
};

} // namespace

std::vector<BoxOnScreen> boxesOnScreen(const TraceRow& row, double from, double to, int pixels,
                                       const BoxPaints& paints, bool parted) {
    if (pixels <= 0 || !(to > from))
        return {};
    const double scale = pixels / (to - from);
    const auto& boxes = row.boxes;
    auto box = std::partition_point(boxes.begin(), boxes.end(), [&](const TraceBox& b) {
        return static_cast<double>(b.end) <= from;
    });
    ScreenFiller filler(pixels);
    for (; box != boxes.end() && static_cast<double>(box->begin) < to; ++box) {
        const double left = (static_cast<double>(box->begin) - from) * scale;
        double right = (static_cast<double>(box->end) - from) * scale;
        if (parted && right - left > partedFrom)
            right -= 1;
        filler.add(paints ? paints(*box) : BoxPaint{},
                   static_cast<std::size_t>(box - boxes.begin()), left, right);
    }
    return filler.finish();
}

namespace {

bool isStreamCopy(ProgramKind kind) {
    return kind == ProgramKind::StreamCopyBegin || kind == ProgramKind::StreamCopyMid ||
           kind == ProgramKind::StreamCopyEnd;
}

} // namespace

TraceRow stepsOf(const TraceLane& lane) {
    TraceRow all;
    std::size_t most = 0;
    for (const TraceRow& row : lane.rows)
        most += row.boxes.size();
    all.boxes.reserve(most);
    for (const TraceRow& row : lane.rows)
        std::copy_if(row.boxes.begin(), row.boxes.end(), std::back_inserter(all.boxes),
                     [](const TraceBox& box) { return box.look == TraceBox::Look::Step; });
    std::stable_sort(all.boxes.begin(), all.boxes.end(),
                     [](const TraceBox& a, const TraceBox& b) { return a.begin < b.begin; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.boxes.size(); ++i) {
        TraceBox& box = all.boxes[i];
        if (kept == 0 || box.begin >= all.boxes[kept - 1].end) {
            if (kept++ < i)
                all.boxes[kept - 1] = std::move(box);
        } else if (isStreamCopy(all.boxes[kept - 1].kind) && !isStreamCopy(box.kind)) {
            all.boxes[kept - 1] = std::move(box);
        }
    }
    all.boxes.resize(kept);
    all.boxes.shrink_to_fit(); // overviews of many lanes are held for long
    return all;
}

const TraceBox* boxAt(const TraceRow& row, double cycle) {
    const auto box =
        std::partition_point(row.boxes.begin(), row.boxes.end(), [&](const TraceBox& b) {
            return static_cast<double>(b.end) <= cycle;
        });
    return box != row.boxes.end() && static_cast<double>(box->begin) <= cycle ? &*box : nullptr;
}

const TraceBox* momentNear(const TraceRow& row, double cycle, double within) {
    auto box = std::partition_point(row.boxes.begin(), row.boxes.end(), [&](const TraceBox& b) {
        return static_cast<double>(b.begin) < cycle - within;
    });
    const TraceBox* nearest = nullptr;
    const auto distance = [cycle](const TraceBox& b) {
        return std::abs(static_cast<double>(b.begin) - cycle);
    };
    for (; box != row.boxes.end() && static_cast<double>(box->begin) <= cycle + within; ++box)
        if (box->moment && (nearest == nullptr || distance(*box) < distance(*nearest)))
            nearest = &*box;
    return nearest;
}

} // namespace tilescope::views
