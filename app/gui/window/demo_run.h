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
    /// `program` is empty if not found.
    explicit DemoRun(QString program, QObject* parent = nullptr);

    /// The folder of the demo's profile, in the user's data of this program.
    static QString defaultFolder();
    /// Writes FOLDER/profile.pop.
    void startDemo(const QString& folder);

private:
    std::unique_ptr<QTemporaryDir> jobFolder_;
};

} // namespace tilescope::gui
