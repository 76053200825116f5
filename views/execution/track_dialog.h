// The dialog that makes a track from a query.
#pragma once

#include <QDialog>

#include "views/execution/sql_tracks.h"

class QLineEdit;
class QPushButton;

namespace tilescope::views {

class SqlEditor;

/// Name and text of a track's query, with the user's saved queries to begin with.
class TrackDialog : public QDialog {
    Q_OBJECT
public:
    TrackDialog(ViewContext& context, QWidget* parent);
    [[nodiscard]] QLineEdit& name() { return *name_; }
    [[nodiscard]] SqlEditor& editor() { return *editor_; }

signals:
    void wanted(const tilescope::views::TrackQuery& query);

private:
    QLineEdit* name_;
    SqlEditor* editor_;
    QPushButton* add_ = nullptr;
};

} // namespace tilescope::views
