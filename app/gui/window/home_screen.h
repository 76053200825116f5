// What the window shows while no profile is open.
#pragma once

#include <QWidget>

#include "app/gui/window/demo_run.h"
#include "app/gui/window/recent_files.h"

class QLabel;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace tilescope::gui {

class HomeScreen : public QWidget {
    Q_OBJECT
public:
    explicit HomeScreen(RecentFiles& recent, QWidget* parent = nullptr);
    [[nodiscard]] QListWidget& list() { return *list_; }
    [[nodiscard]] DemoRun& demo() { return demo_; }

signals:
    void openWanted();
    void compareWanted();
    void recentWanted(const QString& entry);
    void demoReady(const QString& profile);

private:
    void fill();
    void makeDemo(QVBoxLayout& layout);
    void updateDemo();

    RecentFiles& recent_;
    DemoRun demo_;
    QPushButton* demoButton_;
    QWidget* demoProgress_;
    QLabel* demoError_;
    QListWidget* list_;
    QLabel* listTitle_;
};

} // namespace tilescope::gui
