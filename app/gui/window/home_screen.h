// What the window shows while no profile is open.
#pragma once

#include <QWidget>

#include "app/gui/window/demo_run.h"
#include "app/gui/window/recent_details.h"
#include "app/gui/window/recent_files.h"
#include "views/session/view_context.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QListWidget;
class QListWidgetItem;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QVBoxLayout;

namespace tilescope::gui {

class HomeScreen : public QWidget {
    Q_OBJECT
public:
    HomeScreen(views::ViewContext& context, RecentFiles& recent, QWidget* parent = nullptr);
    /// Recent profiles, and recent comparisons.
    [[nodiscard]] QListWidget& profiles() { return *profiles_; }
    [[nodiscard]] QListWidget& comparisons() { return *comparisons_; }
    [[nodiscard]] DemoRun& demo() { return demo_; }

protected:
    void showEvent(QShowEvent* event) override;

signals:
    void openWanted();
    void compareWanted();
    void runWanted();
    /// How scripts make profiles.
    void guideWanted();
    void recentWanted(const QString& entry);
    void demoReady(const QString& profile);

private:
    QListWidget* makeList(const QString& name);
    void fill();
    void fill(QListWidget& list, const QStringList& entries);
    void describe();
    void describe(QListWidgetItem& item) const;
    void makeDemo(QVBoxLayout& layout);
    void updateDemo();

    views::ViewContext& context_;
    RecentFiles& recent_;
    RecentDetails details_;
    DemoRun demo_;
    QPushButton* demoButton_;
    QWidget* demoProgress_;
    QProgressBar* demoBar_;
    QLabel* demoPhase_;
    views::WrappedLabel* demoError_;
    QListWidget* profiles_;
    QListWidget* comparisons_;
    QTabWidget* tabs_;
};

} // namespace tilescope::gui
