#include "views/film/film_frames.h"

#include <algorithm>

namespace tilescope::views {
namespace {
// Frames per query: a more urgent frame waits for at most this many.
constexpr std::size_t framesAtOnce = 8;
} // namespace

FilmFrames::FilmFrames(Workers& workers, QObject* parent)
    : QObject(parent)
    , query_(workers) {
    connect(&query_, &BackgroundQuery::failed, this, &FilmFrames::failed);
    connect(&query_, &BackgroundQuery::delivered, this, [this] {
        emit arrived();
        readMissing();
    });
}

void FilmFrames::setFilm(std::shared_ptr<TileFilm> film) {
    query_.cancel();
    film_ = std::move(film);
    frames_.clear();
    wanted_.clear();
}

const FilmFrame* FilmFrames::find(std::int64_t number) const {
    const auto found = frames_.find(number);
    return found == frames_.end() ? nullptr : &found->second;
}

std::size_t FilmFrames::most() const {
    constexpr std::size_t mostValues = 4'000'000; // 32 MB
    constexpr std::size_t fewest = 16;
    constexpr std::size_t threeSeconds = 90;
    const std::size_t tiles = frames_.empty() ? 0 : frames_.begin()->second.values.size();
    return std::clamp(tiles == 0 ? fewest : mostValues / tiles, fewest, threeSeconds);
}

void FilmFrames::want(std::vector<std::int64_t> numbers) {
    wanted_ = std::move(numbers);
    std::vector<std::int64_t> sorted = wanted_;
    std::sort(sorted.begin(), sorted.end());
    std::erase_if(frames_, [&](const auto& frame) {
        return !std::binary_search(sorted.begin(), sorted.end(), frame.first);
    });
    readMissing();
}

// One query at a time: TileFilm is not thread-safe.
void FilmFrames::readMissing() {
    if (!film_ || query_.running())
        return;
    std::vector<std::int64_t> missing;
    for (const std::int64_t number : wanted_)
        if (missing.size() < framesAtOnce && frames_.count(number) == 0)
            missing.push_back(number);
    if (missing.empty())
        return;
    query_.start([this, film = film_, missing](const std::stop_token& stop) {
        std::vector<FilmFrame> made;
        for (const std::int64_t number : missing)
            made.push_back(film->frame(number, stop));
        return [this, made = std::make_shared<std::vector<FilmFrame>>(std::move(made))] {
            for (FilmFrame& frame : *made)
                if (std::find(wanted_.begin(), wanted_.end(), frame.number) != wanted_.end())
                    frames_.insert_or_assign(frame.number, std::move(frame));
        };
    });
}

} // namespace tilescope::views
