// Places in an execution that the user has marked, kept beside the profile.
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <filesystem>
#include <vector>

#include "views/execution/sql_tracks.h"
#include "views/plot/trace/cycle_plot.h"

namespace tilescope::views {

/// The marks of one profile as a table: position, length (of ranges), distance from the mark
/// before, and text, which can be edited. Every change is written at once to marksFile(); if its
/// folder is not writable nothing is saved, which saved() reports.
class MarksModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Cycle, Time, Length, Since, Text, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    /// Where the marks of a profile are kept: "profile.pop.marks.json" beside it.
    [[nodiscard]] static QString marksFile(const std::filesystem::path& profile);

    /// Reads the marks of a profile; having none is not an error. `length` is its last cycle: marks
    /// after it are from an earlier run and are left out. Returns what is wrong with the file, or
    /// an empty text.
    QString open(const std::filesystem::path& profile, double clockHz, double length);
    /// Marks a place or a range and returns its row; a mark that is there already stays.
    int add(const TraceFlag& mark);
    int add(double cycle, const QString& text) { return add({cycle, text}); }
    void remove(int row);
    [[nodiscard]] const std::vector<TraceFlag>& marks() const { return marks_; }
    /// Tracks from queries, which are kept in the same file; at most mostTracks.
    [[nodiscard]] const std::vector<TrackQuery>& tracks() const { return tracks_; }
    /// Replaces one of the same name.
    void addTrack(const TrackQuery& track);
    void removeTrack(const QString& name);
    static constexpr std::size_t mostTracks = 16;
    /// The next mark after a cycle (or before it), or -1.
    [[nodiscard]] int beside(double cycle, bool forward) const;
    /// The distance between the beginnings of two marks: "'a' to 'b': 34,655 cycles (26.1 µs)".
    [[nodiscard]] QString difference(int row, int other) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

signals:
    void marksChanged();
    void tracksChanged();
    /// After writing; the text says what went wrong, or is empty.
    void saved(const QString& problem);

private:
    void changed();
    /// The mark before the one in this row is another one now.
    void neighbourChanged(int row);

    QString file_;
    double clockHz_ = 0;
    std::vector<TraceFlag> marks_; ///< by cycle, then by length
    std::vector<TrackQuery> tracks_;
};

} // namespace tilescope::views
