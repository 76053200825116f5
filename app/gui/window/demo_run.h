// A simulation of the demo, by the program that stands beside this one.
#pragma once

#include <QProcess>
#include <QTemporaryDir>
#include <memory>

namespace tilescope::gui {

/// Runs `tilescope run` on the demo job. The window has no simulator in it: a simulation that needs
/// all memory or crashes must not take the window with it.
class DemoRun : public QObject {
    Q_OBJECT
public:
    /// `program` is empty where there is none.
    explicit DemoRun(QString program, QObject* parent = nullptr);
    ~DemoRun() override;

    /// `tilescope` beside this program, else in PATH; empty if there is none.
    static QString findProgram();
    /// Where the demo's profile goes: the user's own data of this program.
    static QString defaultFolder();

    [[nodiscard]] bool available() const { return !program_.isEmpty(); }
    [[nodiscard]] bool running() const { return process_ != nullptr; }
    /// Writes FOLDER/profile.pop; signals how it ended. Does nothing while it runs.
    void start(const QString& folder);
    /// Ends the program; nothing but ended() is signalled.
    void cancel();

signals:
    void started();
    void ended(); ///< in whatever way, before any other signal of the end
    void finished(const QString& profile);
    void failed(const QString& text);

private:
    void programEnded(int status, QProcess::ExitStatus how);
    void programErred(QProcess::ProcessError error);
    void kill();
    void end();

    QString program_;
    QString folder_;
    std::unique_ptr<QTemporaryDir> jobFolder_;
    QProcess* process_ = nullptr;
};

} // namespace tilescope::gui
