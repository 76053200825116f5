// What the program on the host did in a range, as a tree of calls.
#pragma once

#include "views/execution/trace_content.h"
#include "views/query/background_query.h"
#include "views/session/view_context.h"

namespace tilescope::views {

/// Threads with their calls, and those within them: time within the visible or selected range, with
/// and without what is called, how often and the longest. Of two profiles those of both.
class CallsPanel : public QWidget {
    Q_OBJECT
public:
    explicit CallsPanel(ViewContext& context, QWidget* parent = nullptr);
    /// Reads when it becomes visible; only the last call counts.
    void load(const TraceQuestion& question, CycleRange range);
    [[nodiscard]] ValueTreeView& tree() { return *tree_; }
    /// Whether there is anything to show, in any range.
    [[nodiscard]] static bool isPossible(const Hosts& hosts);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void read();

    BackgroundQuery query_;
    ValueTreeView* tree_;
    TraceQuestion question_;
    CycleRange range_;
    bool stale_ = false;
    bool isFitted_ = false;
};

} // namespace tilescope::views
