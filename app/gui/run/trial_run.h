// The suggestions for a profile, simulated by the program beside this one.
#pragma once

#include <QProcess>

#include "core/table/table.h"

namespace tilescope::gui {

/// Runs `tilescope try`.
class TrialRun : public QObject {
    Q_OBJECT
public:
    /// `program` is empty where there is none.
    explicit TrialRun(QString program, QObject* parent = nullptr);
    ~TrialRun() override;

    [[nodiscard]] bool available() const { return !program_.isEmpty(); }
    [[nodiscard]] bool running() const { return process_ != nullptr; }
    /// Keeps the profiles of the trials below `folder`. Does nothing while it runs.
    void start(const QString& profile, const QString& folder);
    void cancel();

signals:
    /// A share of 0 to 1 and what is being done.
    void progressed(double done, const QString& what);
    /// The table of trialsTable(), with the columns of data too.
    void finished(const tilescope::Table& trials);
    void failed(const QString& text);

private:
    void readErrors();
    void programEnded();

    QString program_;
    QProcess* process_ = nullptr;
    QByteArray errors_;
};

/// A table of these columns from what `--json` prints of it; keys that an object lacks are none.
/// Throws UserError if the text is no such array.
Table tableFromJson(Table columns, std::string_view json);

} // namespace tilescope::gui
