// Tracks from queries, kept with the profile's marks.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <memory>
#include <vector>

#include "views/execution/tracks/value_track.h"
#include "views/query/background_query.h"
#include "views/session/view_context.h"

namespace tilescope::views {

/// The text of a track.
struct TrackQuery {
    QString name;
    QString sql; ///< a SELECT of two columns: cycles, value
    friend bool operator==(const TrackQuery&, const TrackQuery&) = default;
};

/// Runs the queries of tracks on a profile, as the page of queries runs them: for reading only, and
/// stopped when they are left. A query that takes too long is stopped, as nobody may have asked for
/// it: a kept track runs when its profile is opened.
class SqlTracks : public QObject {
    Q_OBJECT
public:
    explicit SqlTracks(ViewContext& context, QObject* parent = nullptr);

    /// Runs all queries anew on another profile (null: none).
    void open(ProfileViewPtr profile, const std::vector<TrackQuery>& queries);
    /// Those that have been answered, in the order of their queries.
    [[nodiscard]] ValueTracks tracks() const;
    [[nodiscard]] bool running() const;
    static constexpr int longestMs = 20'000;
    static constexpr std::size_t mostPoints = 200'000;

signals:
    /// Another track has been answered, or there are others.
    void changed();
    /// What is wrong with a query.
    void status(const QString& text);

private:
    struct Track;
    void run(Track& track);

    ViewContext& context_;
    ProfileViewPtr profile_;
    std::vector<std::shared_ptr<Track>> tracks_;
};

} // namespace tilescope::views
