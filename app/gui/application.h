// The application object of tilescope-gui.
#pragma once

#include <QApplication>

namespace tilescope::gui {

/// Catches exceptions of event handlers: the event is dropped and every main window shows the
/// error, because a view that cannot draw one profile is no reason to lose the others. No exception
/// passes through Qt's own code, which is not exception-safe.
class Application : public QApplication {
    Q_OBJECT
public:
    Application(int& argc, char** argv);
    bool notify(QObject* receiver, QEvent* event) override;
    /// For runs without a visible window: the first such error ends the program.
    void endOnErrors() { endsOnErrors_ = true; }

private:
    void tell(const QString& text, int status);

    bool endsOnErrors_ = false;
};

} // namespace tilescope::gui
