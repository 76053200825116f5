// A simulation by the program `tilescope`.
#pragma once

#include <QDateTime>
#include <QProcess>
#include <QStringList>

namespace tilescope::gui {

/// The profile that `tilescope run` writes to a folder.
QString profileIn(const QString& folder);

/// Asks a program to end, so that it leaves no partial files; kills it if it does not.
void endProcess(QProcess& process);

/// Runs `tilescope run`. The window contains no simulator: a simulation that exhausts memory or
/// crashes must not take the window down with it.
class SimulationRun : public QObject {
    Q_OBJECT
public:
    /// `program` is empty if not found.
    explicit SimulationRun(QString program, QObject* parent = nullptr);
    ~SimulationRun() override;

    /// `tilescope` beside this program, otherwise in PATH; empty if there is none.
    static QString findProgram();

    [[nodiscard]] const QString& program() const { return program_; }
    [[nodiscard]] bool available() const { return !program_.isEmpty(); }
    [[nodiscard]] bool running() const { return process_ != nullptr; }
    /// `arguments` are those of the command line ("run", MODEL, ...) and have to write
    /// FOLDER/profile.pop. Signals how it ended. Does nothing while a run is active.
    void start(const QStringList& arguments, const QString& folder);
    /// The same for a command that writes a profile of any name.
    void startWriting(const QStringList& arguments, const QString& profile);
    /// Ends the program; only ended() is signalled.
    void cancel();

signals:
    void started();
    /// A fraction of 0 to 1 and the current phase.
    void progressed(double done, const QString& what);
    void logged(const QString& line); ///< anything else on standard error before its error
    void ended();                     ///< in whatever way, before any other signal of the end
    /// `fits` is false if the model needs more memory than there is, which is also a result.
    void finished(const QString& profile, bool fits);
    /// `option`: the key of the option that is wrong, or "".
    void failed(const QString& text, const QString& option = {});

private:
    void readErrors();
    void takeLine(const QString& line);
    void programEnded(int status, QProcess::ExitStatus how);
    void programErred(QProcess::ProcessError error);
    void kill();
    void end();

    QString program_;
    QString profile_;
    QProcess* process_ = nullptr;
    QByteArray unfinishedLine_;
    QDateTime profileBefore_;    ///< modification time of a previous profile
    QString wrongOption_;        ///< key of the option that its error is about
    bool endsWithError_ = false; ///< it has begun to print its error
    /// Its error, or everything it printed other than progress; only the end if that is long.
    QString errors_;
};

} // namespace tilescope::gui
