// What the window shows while no profile is open.
#pragma once

#include <QWidget>

#include "app/gui/window/recent_files.h"

class QLabel;
class QListWidget;

namespace tilescope::gui {

class HomeScreen : public QWidget {
    Q_OBJECT
public:
    explicit HomeScreen(RecentFiles& recent, QWidget* parent = nullptr);
    [[nodiscard]] QListWidget& list() { return *list_; }

signals:
    void openWanted();
    void compareWanted();
    void recentWanted(const QString& entry);

private:
    void fill();

    RecentFiles& recent_;
    QListWidget* list_;
    QLabel* listTitle_;
};

} // namespace tilescope::gui
