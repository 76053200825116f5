// A simulation of the demo.
#pragma once

#include <QTemporaryDir>
#include <memory>

#include "app/gui/run/simulation_run.h"

namespace tilescope::gui {

/// Runs `tilescope run` on the demo job.
class DemoRun : public QObject {
    Q_OBJECT
public:
    /// `program` is empty where there is none.
    explicit DemoRun(QString program, QObject* parent = nullptr);

    /// Where the demo's profile goes: the user's own data of this program.
    static QString defaultFolder();

    [[nodiscard]] bool available() const { return run_.available(); }
    [[nodiscard]] bool running() const { return run_.running(); }
    /// Writes FOLDER/profile.pop; signals how it ended. Does nothing while it runs.
    void start(const QString& folder);
    /// Ends the program; nothing but ended() is signalled.
    void cancel() { run_.cancel(); }

signals:
    void started();
    void progressed(double done, const QString& what);
    void ended(); ///< in whatever way, before any other signal of the end
    void finished(const QString& profile);
    void failed(const QString& text);

private:
    SimulationRun run_;
    std::unique_ptr<QTemporaryDir> jobFolder_;
};

} // namespace tilescope::gui
