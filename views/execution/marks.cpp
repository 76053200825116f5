#include "views/execution/marks.h"

#include "views/session/time_texts.h"
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <algorithm>

namespace tilescope::views {
namespace {

bool earlier(const TraceFlag& a, const TraceFlag& b) {
    return a.cycle < b.cycle;
}

QByteArray jsonOf(const std::vector<TraceFlag>& marks) {
    QJsonArray list;
    for (const TraceFlag& mark : marks)
        list.append(QJsonObject{{QStringLiteral("cycle"), mark.cycle},
                                {QStringLiteral("text"), mark.text}});
    return QJsonDocument(QJsonObject{{QStringLiteral("marks"), list}}).toJson();
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
    QString problem;
    QFile file(file_);
    if (file.open(QIODevice::ReadOnly)) {
        QJsonParseError error;
        const QJsonDocument document = QJsonDocument::fromJson(file.readAll(), &error);
        if (error.error != QJsonParseError::NoError)
            problem = tr("Marks in '%1' cannot be read: %2").arg(file_, error.errorString());
        for (const QJsonValue& value : document.object()[QStringLiteral("marks")].toArray()) {
            const TraceFlag mark{value[QStringLiteral("cycle")].toDouble(-1),
                                 value[QStringLiteral("text")].toString()};
            if (mark.cycle >= 0 && mark.cycle <= length)
                marks_.push_back(mark);
        }
        std::stable_sort(marks_.begin(), marks_.end(), earlier);
    }
    endResetModel();
    emit marksChanged();
    return problem;
}

void MarksModel::add(double cycle, const QString& text) {
    const TraceFlag mark{std::max(0.0, cycle), text};
    const auto at = std::lower_bound(marks_.begin(), marks_.end(), mark, earlier);
    if (at != marks_.end() && at->cycle == mark.cycle)
        return;
    const int row = static_cast<int>(at - marks_.begin());
    beginInsertRows({}, row, row);
    marks_.insert(at, mark);
    endInsertRows();
    changed();
}

void MarksModel::remove(int row) {
    if (row < 0 || row >= rowCount())
        return;
    beginRemoveRows({}, row, row);
    marks_.erase(marks_.begin() + row);
    endRemoveRows();
    changed();
}

int MarksModel::beside(double cycle, bool forward) const {
    // A mark that the window has gone to is at the cycle itself, give or take rounding.
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

void MarksModel::changed() {
    QSaveFile file(file_);
    const QByteArray bytes = jsonOf(marks_);
    const bool written =
        file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit();
    emit marksChanged();
    emit saved(written ? QString()
                       : tr("Marks are not kept: '%1' %2").arg(file_, file.errorString()));
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
    if (role != Qt::DisplayRole)
        return {};
    return section == Cycle ? tr("Cycle") : section == Time ? tr("Time") : tr("Mark");
}

} // namespace tilescope::views
