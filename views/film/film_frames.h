// Frames of a film, made on a worker thread before they are shown.
#pragma once

#include <map>

#include "core/analysis/film/tile_film.h"
#include "views/query/background_query.h"

namespace tilescope::views {

/// Keeps the frames that are wanted, by number, and makes those that are missing.
class FilmFrames : public QObject {
    Q_OBJECT
public:
    explicit FilmFrames(Workers& workers, QObject* parent = nullptr);

    /// Frames of another film, or of none.
    void setFilm(std::shared_ptr<TileFilm> film);
    [[nodiscard]] const std::shared_ptr<TileFilm>& film() const { return film_; }
    /// Null until it has been made.
    [[nodiscard]] const FilmFrame* find(std::int64_t number) const;
    /// Forgets all frames but these and makes what is missing, the first ones first.
    void want(std::vector<std::int64_t> numbers);
    /// How many frames may be wanted at a time: as many as fit into some memory.
    [[nodiscard]] std::size_t most() const;

signals:
    /// More frames are ready.
    void arrived();
    void failed(const QString& text);

private:
    void readMissing();

    std::shared_ptr<TileFilm> film_;
    std::vector<std::int64_t> wanted_;
    std::map<std::int64_t, FilmFrame> frames_;
    BackgroundQuery query_;
};

} // namespace tilescope::views
