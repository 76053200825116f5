// Pictures of reports without a visible window.
#pragma once

#include <QDialog>
#include <QObject>
#include <QPointer>
#include <vector>

#include "app/gui/arguments.h"
#include "app/gui/window/main_window.h"

namespace tilescope::gui {

/// Shows one report or screen after the other, waits until everything has been loaded and saves
/// a picture of the window. Driven by signals only.
class Grabber : public QObject {
    Q_OBJECT
public:
    /// Takes grabs, selection and range of the arguments.
    Grabber(MainWindow& window, const Arguments& arguments, QObject* parent = nullptr);
    /// To be called once profiles are opening.
    void start();
    /// Takes the pictures, if that has not begun. The window must show its content.
    void begin();

signals:
    void finished();
    void failed(const QString& text);

private:
    void showNext();
    void showReport(const GrabRequest& request);
    void showScreen(const GrabRequest& request);
    void grabWhenIdle();
    void grab();
    void select();
    [[nodiscard]] Report firstReport() const;
    [[nodiscard]] QPixmap picture() const;

    MainWindow& window_;
    std::vector<GrabRequest> requests_;
    std::vector<SelectWish> selected_;
    std::optional<AxisRange> range_;
    std::size_t next_ = 0;
    bool begun_ = false;
    bool showing_ = false;
    bool partsChosen_ = false; ///< of the request that is shown
    QPointer<QDialog> dialog_; ///< in front of the window
};

} // namespace tilescope::gui
