// The suggestions for a profile, simulated by the program `tilescope`.
#pragma once

#include <QProcess>

#include "core/table/table.h"

namespace tilescope::gui {

/// Runs `tilescope try`.
class TrialRun : public QObject {
    Q_OBJECT
public:
    /// `program` is empty if not found.
    explicit TrialRun(QString program, QObject* parent = nullptr);
    ~TrialRun() override;

    [[nodiscard]] bool available() const { return !program_.isEmpty(); }
    [[nodiscard]] bool running() const { return process_ != nullptr; }
    /// Keeps the profiles of the trials below `folder`. Does nothing while a run is active.
    void start(const QString& profile, const QString& folder);
    void cancel();

signals:
    /// A fraction of 0 to 1 and the current phase.
    void progressed(double done, const QString& what);
    /// The table of trialsTable(), including columns that are only in data.
    void finished(const tilescope::Table& trials);
    void failed(const QString& text);

private:
    void readErrors();
    void programEnded();

    QString program_;
    QProcess* process_ = nullptr;
    QByteArray errors_;
};

/// A table with these columns from the output of `--json`; keys missing in an object give empty
/// cells. Throws UserError if the text has no such array.
Table tableFromJson(Table columns, std::string_view json);

} // namespace tilescope::gui
