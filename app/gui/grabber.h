// Pictures of reports without anybody looking.
#pragma once

#include <QObject>
#include <vector>

#include "app/gui/arguments.h"
#include "app/gui/window/main_window.h"

namespace tilescope::gui {

/// Shows one report after the other, waits until everything has been loaded and saves what the
/// window shows. Driven by signals only.
class Grabber : public QObject {
    Q_OBJECT
public:
    Grabber(MainWindow& window, std::vector<GrabRequest> requests, QObject* parent = nullptr);
    /// After profiles were asked to open.
    void start();

signals:
    void finished();
    void failed(const QString& text);

private:
    void opened();
    void showNext();
    void grabWhenIdle();
    void grab();

    MainWindow& window_;
    std::vector<GrabRequest> requests_;
    std::size_t next_ = 0;
    bool showing_ = false;
};

} // namespace tilescope::gui
