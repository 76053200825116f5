// A simulation of the demo.
#pragma once

#include <QTemporaryDir>
#include <memory>

#include "app/gui/run/simulation_run.h"

namespace tilescope::gui {

/// Runs `tilescope run` on the demo job.
class DemoRun : public SimulationRun {
    Q_OBJECT
public:
    /// `program` is empty where there is none.
    explicit DemoRun(QString program, QObject* parent = nullptr);

    /// Where the demo's profile goes: the user's own data of this program.
    static QString defaultFolder();
    /// Writes FOLDER/profile.pop.
    void startDemo(const QString& folder);

private:
    std::unique_ptr<QTemporaryDir> jobFolder_;
};

} // namespace tilescope::gui
