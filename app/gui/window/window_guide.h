// Goes from a hit of the search to its place in the window.
#pragma once

#include "app/gui/find/finder.h"

namespace tilescope::gui {

class MainWindow;

/// Makes a window show a hit.
class WindowGuide : public Guide {
public:
    explicit WindowGuide(MainWindow& window)
        : window_(window) {}
    /// In the report in front if that can show it, otherwise in the usual report for its kind.
    void show(const views::Selected& thing) override;
    void showIpu(IpuId ipu) override;
    void showOption(const QString& key) override;
    void focusContent(const QString& section) override;
    void showHelp(const QString& page, const QString& heading) override;

private:
    MainWindow& window_;
};

} // namespace tilescope::gui
