#include "views/plot/trace/trace_rows.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tilescope::views {

namespace {

constexpr std::size_t looks = 3;

/// Collects what falls into one pixel.
class PixelShares {
public:
    void add(const TraceBox& box, std::size_t at, double share) {
        const std::size_t key = static_cast<std::size_t>(box.look) * programKinds.size() +
                                static_cast<std::size_t>(box.kind);
        Share& s = shares_.at(key);
        if (s.sum == 0 || box.cycles() > longest_) {
            s.longest = at;
            longest_ = box.cycles();
        }
        touched_ |= std::uint64_t{1} << key;
        s.sum += share;
        all_ += share;
        if (winner_ < 0 || s.sum > shares_.at(static_cast<std::size_t>(winner_)).sum)
            winner_ = static_cast<int>(key);
    }
    [[nodiscard]] bool empty() const { return winner_ < 0; }
    /// Most pixels have one or two kinds: only these are set back.
    void clear() {
        for (; touched_ != 0; touched_ &= touched_ - 1)
            shares_.at(static_cast<std::size_t>(std::countr_zero(touched_))) = {};
        longest_ = 0;
        all_ = 0;
        winner_ = -1;
    }
    [[nodiscard]] std::size_t box() const {
        return shares_.at(static_cast<std::size_t>(winner_)).longest;
    }
    [[nodiscard]] double all() const { return std::min(all_, 1.0); }

private:
    struct Share {
        double sum = 0;
        std::size_t longest = 0;
    };
    std::array<Share, looks * programKinds.size()> shares_{};
    std::uint64_t touched_ = 0; ///< a bit for each share that is not nothing
    static_assert(looks * programKinds.size() <= 64);
    std::int64_t longest_ = 0;
    double all_ = 0;
    int winner_ = -1;
};

/// Walks over boxes from left to right and decides pixel by pixel.
class ScreenFiller {
public:
    explicit ScreenFiller(int pixels)
        : pixels_(pixels) {}

    void add(const TraceBox& box, std::size_t at, double left, double right) {
        left = std::clamp(left, 0.0, static_cast<double>(pixels_));
        right = std::clamp(right, left, static_cast<double>(pixels_));
        const int first = std::min(static_cast<int>(left), pixels_ - 1);
        const int last = std::min(static_cast<int>(right), pixels_);
        if (last <= first) { // within a pixel
            share(first, box, at, right - left);
            return;
        }
        int whole = first;
        if (left > first) {
            share(first, box, at, first + 1 - left);
            whole = first + 1;
        }
        flush();
        if (last > whole)
            put({whole, last, at, 1});
        if (right > last)
            share(last, box, at, right - last);
    }

    std::vector<BoxOnScreen> finish() {
        flush();
        return std::move(screen_);
    }

private:
    void share(int pixel, const TraceBox& box, std::size_t at, double amount) {
        if (pixel != pixel_)
            flush();
        pixel_ = pixel;
        shares_.add(box, at, amount);
    }

    void flush() {
        if (!shares_.empty())
            put({pixel_, pixel_ + 1, shares_.box(), shares_.all()});
        shares_.clear();
        pixel_ = -1;
    }

    /// A box that also won the pixel beside it takes it whole: its edge is no mixture.
    void put(BoxOnScreen next) {
        if (!screen_.empty() && screen_.back().box == next.box && screen_.back().x1 == next.x0) {
            screen_.back().x1 = next.x1;
            screen_.back().coverage = 1;
            return;
        }
        screen_.push_back(next);
    }

    int pixels_;
    int pixel_ = -1;
    PixelShares shares_;
    std::vector<BoxOnScreen> screen_;
};

} // namespace

std::vector<BoxOnScreen> boxesOnScreen(const TraceRow& row, double from, double to, int pixels) {
    if (pixels <= 0 || !(to > from))
        return {};
    const double scale = pixels / (to - from);
    const auto& boxes = row.boxes;
    auto box = std::partition_point(boxes.begin(), boxes.end(), [&](const TraceBox& b) {
        return static_cast<double>(b.end) <= from;
    });
    ScreenFiller filler(pixels);
    for (; box != boxes.end() && static_cast<double>(box->begin) < to; ++box)
        filler.add(*box, static_cast<std::size_t>(box - boxes.begin()),
                   (static_cast<double>(box->begin) - from) * scale,
                   (static_cast<double>(box->end) - from) * scale);
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
    for (const TraceRow& row : lane.rows)
        for (const TraceBox& box : row.boxes)
            if (box.look == TraceBox::Look::Step)
                all.boxes.push_back(
                    {box.begin, box.end, box.kind, box.look, box.firstStep, box.steps, {}});
    std::stable_sort(all.boxes.begin(), all.boxes.end(),
                     [](const TraceBox& a, const TraceBox& b) { return a.begin < b.begin; });
    std::vector<TraceBox> kept;
    for (TraceBox& box : all.boxes) {
        if (kept.empty() || box.begin >= kept.back().end)
            kept.push_back(std::move(box));
        else if (isStreamCopy(kept.back().kind) && !isStreamCopy(box.kind))
            kept.back() = std::move(box);
    }
    all.boxes = std::move(kept);
    return all;
}

const TraceBox* boxAt(const TraceRow& row, double cycle) {
    const auto box =
        std::partition_point(row.boxes.begin(), row.boxes.end(), [&](const TraceBox& b) {
            return static_cast<double>(b.end) <= cycle;
        });
    return box != row.boxes.end() && static_cast<double>(box->begin) <= cycle ? &*box : nullptr;
}

} // namespace tilescope::views
