#include "views/execution/marks.h"

#include "views/session/time_texts.h"
#include "views/theme/text.h"
#include "views/widgets/write_output.h"
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>

namespace tilescope::views {
namespace {

bool earlier(const TraceFlag& a, const TraceFlag& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.length < b.length;
}

QByteArray jsonOf(const std::vector<TraceFlag>& marks, const std::vector<TrackQuery>& tracks) {
    QJsonArray list;
    for (const TraceFlag& mark : marks) {
        QJsonObject entry{{QStringLiteral("cycle"), mark.cycle},
                          {QStringLiteral("text"), mark.text}};
        if (mark.isRange())
            entry.insert(QStringLiteral("length"), mark.length);
        list.append(entry);
    }
    QJsonObject all{{QStringLiteral("marks"), list}};
    QJsonArray queries;
    for (const TrackQuery& track : tracks)
        queries.append(
            QJsonObject{{QStringLiteral("name"), track.name}, {QStringLiteral("sql"), track.sql}});
    if (!queries.isEmpty())
        all.insert(QStringLiteral("tracks"), queries);
    return QJsonDocument(all).toJson();
}

/// Those of a file, which anybody may have written.
std::vector<TrackQuery> tracksIn(const QJsonObject& file) {
    constexpr qsizetype longestName = 60;
    constexpr qsizetype longestText = 100'000;
    std::vector<TrackQuery> tracks;
    for (const QJsonValue value : file[QStringLiteral("tracks")].toArray()) {
        const TrackQuery track{value[QStringLiteral("name")].toString().left(longestName),
                               value[QStringLiteral("sql")].toString()};
        const bool isNew = std::none_of(tracks.begin(), tracks.end(), [&](const auto& other) {
            return other.name == track.name;
        });
        if (isNew && !track.name.isEmpty() && !track.sql.isEmpty() &&
            track.sql.size() <= longestText && tracks.size() < MarksModel::mostTracks)
            tracks.push_back(track);
    }
    return tracks;
}

} // namespace

QString MarksModel::marksFile(const std::filesystem::path& profile) {
    return QString::fromStdString(profile.string()) + QStringLiteral(".marks.json");
}

QString MarksModel::open(const std::filesystem::path& profile, double clockHz, double length) {
    beginResetModel();
    file_ = marksFile(profile);
    clockHz_ = clockHz;
    marks_.clear();
    tracks_.clear();
    QString problem;
    QFile file(file_);
    if (file.open(QIODevice::ReadOnly)) {
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
        if (error.error != QJsonParseError::NoError)
            problem = tr("Marks in '%1' cannot be read: %2").arg(file_, error.errorString());
        for (const QJsonValue value : document.object()[QStringLiteral("marks")].toArray()) {
            TraceFlag mark{value[QStringLiteral("cycle")].toDouble(-1),
                           value[QStringLiteral("text")].toString(),
                           value[QStringLiteral("length")].toDouble(0)};
            if (!(mark.cycle >= 0 && mark.cycle <= length))
                continue;
            mark.length = std::clamp(mark.length, 0.0, length - mark.cycle);
            marks_.push_back(mark);
        }
        std::stable_sort(marks_.begin(), marks_.end(), earlier);
        tracks_ = tracksIn(document.object());
    }
    endResetModel();
    emit marksChanged();
    emit tracksChanged();
    return problem;
}

int MarksModel::add(const TraceFlag& wanted) {
    const TraceFlag mark{std::max(0.0, wanted.cycle), wanted.text, std::max(0.0, wanted.length)};
    const auto at = std::lower_bound(marks_.begin(), marks_.end(), mark, earlier);
    const int row = static_cast<int>(at - marks_.begin());
    if (at != marks_.end() && !earlier(mark, *at))
        return row;
    beginInsertRows({}, row, row);
    marks_.insert(at, mark);
    endInsertRows();
    neighbourChanged(row + 1);
    changed();
    return row;
}

void MarksModel::neighbourChanged(int row) {
    if (row < rowCount())
        emit dataChanged(index(row, Since), index(row, Since));
}

void MarksModel::remove(int row) {
    if (row < 0 || row >= rowCount())
        return;
    beginRemoveRows({}, row, row);
    marks_.erase(marks_.begin() + row);
    endRemoveRows();
    neighbourChanged(row);
    changed();
}

QString MarksModel::difference(int row, int other) const {
    if (!hasIndex(row, 0) || !hasIndex(other, 0) || row == other)
        return {};
    const TraceFlag& first = marks_[static_cast<std::size_t>(std::min(row, other))];
    const TraceFlag& second = marks_[static_cast<std::size_t>(std::max(row, other))];
    return tr("'%1' to '%2': %3")
        .arg(shownText(first.text, mostOfOne), shownText(second.text, mostOfOne),
             cyclesText(static_cast<std::int64_t>(second.cycle - first.cycle), clockHz_));
}

int MarksModel::beside(double cycle, bool forward) const {
    // The mark that the window was last moved to is at the cycle itself, give or take rounding.
    constexpr double near = 0.5;
    if (forward) {
        const auto next = std::find_if(marks_.begin(), marks_.end(), [&](const TraceFlag& mark) {
            return mark.cycle > cycle + near;
        });
        return next == marks_.end() ? -1 : static_cast<int>(next - marks_.begin());
    }
    const auto before = std::find_if(marks_.rbegin(), marks_.rend(), [&](const TraceFlag& mark) {
        return mark.cycle < cycle - near;
    });
    return static_cast<int>(marks_.rend() - before) - 1;
}

void MarksModel::addTrack(const TrackQuery& track) {
    std::erase_if(tracks_, [&](const TrackQuery& other) { return other.name == track.name; });
    if (tracks_.size() == mostTracks)
        return emit saved(
            tr("There are %1 tracks: remove one first").arg(static_cast<int>(mostTracks)));
    tracks_.push_back(track);
    changed();
    emit tracksChanged();
}

void MarksModel::removeTrack(const QString& name) {
    if (std::erase_if(tracks_, [&](const TrackQuery& each) { return each.name == name; }) == 0)
        return;
    changed();
    emit tracksChanged();
}

void MarksModel::changed() {
    const QString problem = writeOutput(file_, jsonOf(marks_, tracks_));
    emit marksChanged();
    emit saved(problem.isEmpty() ? QString() : tr("Marks cannot be saved: %1").arg(problem));
}

int MarksModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(marks_.size());
}

int MarksModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant MarksModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const TraceFlag& mark = marks_[static_cast<std::size_t>(index.row())];
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter |
                        (index.column() == Text ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole && role != Qt::EditRole)
        return {};
    switch (index.column()) {
    case Cycle:
        return countText(static_cast<std::int64_t>(mark.cycle));
    case Time:
        return clockHz_ > 0 ? durationText(mark.cycle / clockHz_) : QString();
    case Length:
        return mark.isRange() ? cyclesText(static_cast<std::int64_t>(mark.length), clockHz_)
                              : QString();
    case Since: {
        if (index.row() == 0)
            return {};
        const TraceFlag& before = marks_[static_cast<std::size_t>(index.row() - 1)];
        return cyclesText(static_cast<std::int64_t>(mark.cycle - before.cycle), clockHz_);
    }
    default:
        return mark.text;
    }
}

bool MarksModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid) ||
        index.column() != Text)
        return false;
    marks_[static_cast<std::size_t>(index.row())].text = value.toString();
    emit dataChanged(index, index);
    changed();
    return true;
}

Qt::ItemFlags MarksModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags plain = QAbstractTableModel::flags(index);
    return index.isValid() && index.column() == Text ? plain | Qt::ItemIsEditable : plain;
}

QVariant MarksModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (section == Text ? Qt::AlignLeft : Qt::AlignRight));
    static constexpr auto titles =
        std::to_array<const char*>({QT_TR_NOOP("Cycle"), QT_TR_NOOP("Time"), QT_TR_NOOP("Length"),
                                    QT_TR_NOOP("Since the mark before"), QT_TR_NOOP("Mark")});
    return role == Qt::DisplayRole && section < ColumnCount ? tr(titles[section]) : QVariant();
}

} // namespace tilescope::views
