// Which frame of a film is shown when, without a clock of its own.
#pragma once

#include <QObject>
#include <cstdint>
#include <functional>
#include <vector>

namespace tilescope::views {

/// Plays, pauses and steps through the frames [0, length). If more frames are due per second than
/// can be shown, every n-th is shown, always the same ones, so that coming frames are known.
class FilmPlayer : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Another film, at its first frame.
    void setLength(std::int64_t frames);
    /// Frames a second.
    void setSpeed(double speed);
    /// Whether a frame can be shown now; while the next cannot, time stands still.
    void setReady(std::function<bool(std::int64_t)> ready) { ready_ = std::move(ready); }

    [[nodiscard]] std::int64_t length() const { return length_; }
    [[nodiscard]] std::int64_t frame() const { return frame_; }
    [[nodiscard]] bool playing() const { return playing_; }

    /// From the first frame again if it is at the last.
    void play();
    void pause();
    void toggle() { playing_ ? pause() : play(); }
    /// Shows a frame, or the nearest one; playing goes on from there.
    void seek(std::int64_t frame);
    void stepBy(std::int64_t frames);

    /// Lets time pass. The film stops at its last frame.
    void advance(double milliseconds);
    /// The current frame and those that will be shown after it, at most so many.
    [[nodiscard]] std::vector<std::int64_t> coming(std::size_t atMost) const;

    /// Frames shown in a second.
    static constexpr int shownInSecond = 30;

signals:
    void frameChanged(std::int64_t frame);
    /// A frame is due that is not ready.
    void frameWanted(std::int64_t frame);
    void playingChanged(bool playing);

private:
    void restart();
    void show(std::int64_t frame);

    std::int64_t length_ = 0;
    std::int64_t frame_ = 0;
    std::int64_t stride_ = 1;
    double speed_ = shownInSecond;
    double elapsed_ = 0;    ///< milliseconds since `from_` was shown
    std::int64_t from_ = 0; ///< where playing began or the speed changed
    bool playing_ = false;
    std::function<bool(std::int64_t)> ready_;
};

} // namespace tilescope::views
