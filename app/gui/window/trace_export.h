// Exports an execution to a file for other tools.
#pragma once

#include <QObject>

#include "core/trace/trace_index.h"
#include "views/session/view_context.h"

namespace tilescope::gui {

/// Writes Chrome trace events, as `tilescope export --format chrome-trace` does, on a worker
/// thread: the file is complete or does not exist.
class TraceExport : public QObject {
    Q_OBJECT
public:
    TraceExport(views::ViewContext& context, QObject* parent);

    /// Writes a range of the source's execution, all of it if that is empty. Stops a running
    /// export.
    void write(const QString& file, CycleRange range);
    [[nodiscard]] bool running() const { return query_.running(); }
    void cancel() { query_.cancel(); }

signals:
    /// What was written, in a sentence.
    void written(const QString& text);
    void failed(const QString& text);

private:
    views::ViewContext& context_;
    views::BackgroundQuery query_;
};

} // namespace tilescope::gui
