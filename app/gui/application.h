// The application object of the window's program.
#pragma once

#include <QApplication>

namespace tilescope::gui {

/// Survives what an event handler throws: the event is dropped and every main window says so,
/// because a view that cannot draw one profile is no reason to lose the others. Lets nothing
/// through Qt's own code, which may not be unwound.
class Application : public QApplication {
    Q_OBJECT
public:
    Application(int& argc, char** argv);
    bool notify(QObject* receiver, QEvent* event) override;
    /// Where nobody sees a window: the first such error ends the program.
    void endOnErrors() { endsOnErrors_ = true; }

private:
    void tell(const QString& text, int status);

    bool endsOnErrors_ = false;
};

} // namespace tilescope::gui
