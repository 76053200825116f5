// The ways from what was found to where it is.
#pragma once

#include "app/gui/find/finder.h"

namespace tilescope::gui {

class MainWindow;

/// Leads a window to what was found in it.
class WindowGuide : public Guide {
public:
    explicit WindowGuide(MainWindow& window)
        : window_(window) {}
    /// Where it is looked at already if that shows it, else in the report that usually does.
    void show(const views::Selected& thing) override;
    void showIpu(IpuId ipu) override;
    void showOption(const QString& key) override;
    void focusContent(const QString& section) override;
    void showHelp(const QString& page, const QString& heading) override;

private:
    MainWindow& window_;
};

} // namespace tilescope::gui
