#include "views/execution/sql_tracks.h"

#include <algorithm>

#include "views/session/time_texts.h"
#include "views/sql/sql_content.h"
#include "views/theme/text.h"

namespace tilescope::views {

struct SqlTracks::Track {
    Track(Workers& workers, TrackQuery text, int number)
        : query(std::move(text))
        , hue(number)
        , work(workers) {
        limit.setSingleShot(true);
        limit.setInterval(longestMs);
    }
    TrackQuery query;
    int hue;
    std::shared_ptr<const ValueTrack> answer; ///< null until it is there
    BackgroundQuery work;
    QTimer limit;
};

SqlTracks::SqlTracks(ViewContext& context, QObject* parent)
    : QObject(parent)
    , context_(context) {}

void SqlTracks::open(ProfileViewPtr profile, const std::vector<TrackQuery>& queries) {
    const bool isSame = profile == profile_;
    profile_ = std::move(profile);
    std::vector<std::shared_ptr<Track>> before = std::move(tracks_);
    tracks_.clear();
    int number = 0;
    for (const TrackQuery& query : queries) {
        const auto known = std::ranges::find_if(
            before, [&](const auto& track) { return isSame && track && track->query == query; });
        if (known != before.end()) {
            tracks_.push_back(std::move(*known));
        } else {
            constexpr int firstHue = 3; // after those of graphs
            tracks_.push_back(std::make_shared<Track>(context_.workers, query, firstHue + number));
            if (profile_)
                run(*tracks_.back());
        }
        ++number;
    }
    emit changed();
}

void SqlTracks::run(Track& track) {
    const QString name = shownText(track.query.name, mostOfOne);
    const auto say = [this, name](const QString& what) {
        emit status(tr("Track '%1': %2").arg(name, what));
    };
    connect(&track.limit, &QTimer::timeout, &track.work, [&track, say] {
        track.work.cancel();
        say(tr("its query was stopped after %1 seconds; make it faster, or remove the track")
                .arg(longestMs / 1000));
    });
    connect(&track.work, &BackgroundQuery::failed, this, say);
    track.limit.start();
    track.work.start(
        [this, &track, say, profile = profile_, query = track.query](const std::stop_token& stop) {
            SqlAnswer answer = answerTo(query.sql, *profile, nullptr, mostPoints, stop);
            QString error = answer.error;
            std::vector<ValuePoint> points;
            if (error.isEmpty())
                points = pointsOf(answer.table, error);
            return [this, &track, say, error, truncated = answer.truncated,
                    points = std::move(points)]() mutable {
                track.limit.stop();
                if (!error.isEmpty())
                    return say(error);
                track.answer = std::make_shared<const ValueTrack>(
                    shownText(track.query.name, mostOfOne), QString(), track.query.sql,
                    std::move(points), track.hue);
                if (truncated)
                    say(tr("only the first %1 rows of its query are shown")
                            .arg(countText(static_cast<std::int64_t>(mostPoints))));
                emit changed();
            };
        });
}

ValueTracks SqlTracks::tracks() const {
    ValueTracks all;
    for (const auto& track : tracks_)
        if (track->answer)
            all.push_back(track->answer);
    return all;
}

bool SqlTracks::running() const {
    return std::ranges::any_of(tracks_, [](const auto& track) { return track->work.running(); });
}

} // namespace tilescope::views
