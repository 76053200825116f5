#include "views/film/film_player.h"

#include <algorithm>
#include <cmath>

namespace tilescope::views {

void FilmPlayer::setLength(std::int64_t frames) {
    pause();
    length_ = std::max<std::int64_t>(0, frames);
    frame_ = 0;
    restart();
}

void FilmPlayer::setSpeed(double speed) {
    speed_ = std::max(speed, 0.01);
    stride_ = std::max<std::int64_t>(1, std::llround(std::ceil(speed_ / shownInSecond)));
    restart();
}

void FilmPlayer::restart() {
    from_ = frame_;
    elapsed_ = 0;
}

void FilmPlayer::play() {
    if (playing_ || length_ == 0)
        return;
    if (frame_ == length_ - 1)
        show(0);
    playing_ = true;
    restart();
    emit playingChanged(true);
}

void FilmPlayer::pause() {
    if (!playing_)
        return;
    playing_ = false;
    emit playingChanged(false);
}

void FilmPlayer::seek(std::int64_t frame) {
    if (length_ == 0)
        return;
    show(std::clamp<std::int64_t>(frame, 0, length_ - 1));
    restart();
}

void FilmPlayer::stepBy(std::int64_t frames) {
    pause();
    seek(frame_ + frames);
}

void FilmPlayer::show(std::int64_t frame) {
    if (frame == frame_)
        return;
    frame_ = frame;
    emit frameChanged(frame);
}

void FilmPlayer::advance(double milliseconds) {
    if (!playing_ || milliseconds <= 0)
        return;
    const double due = (elapsed_ + milliseconds) * speed_ / 1000;
    const auto strides = static_cast<std::int64_t>(due / static_cast<double>(stride_));
    const std::int64_t next = std::min(from_ + strides * stride_, length_ - 1);
    if (next != frame_ && ready_ && !ready_(next)) {
        emit frameWanted(next);
        return;
    }
    elapsed_ += milliseconds;
    show(next);
    if (next == length_ - 1)
        pause();
}

std::vector<std::int64_t> FilmPlayer::coming(std::size_t atMost) const {
    std::vector<std::int64_t> frames;
    if (length_ == 0)
        return frames;
    frames.push_back(frame_);
    // Frames are skipped relative to the one that was chosen by hand.
    for (std::int64_t next = frame_; frames.size() < atMost && next < length_ - 1;) {
        next = std::min(next + stride_, length_ - 1);
        frames.push_back(next);
    }
    return frames;
}

} // namespace tilescope::views
