// The controls above an execution.
#pragma once

#include "views/execution/ipu_field.h"
#include "views/execution/trace_content.h"
#include "views/widgets/search_box.h"
#include "views/widgets/tool_row.h"

namespace tilescope::views {

class TracePanes;

/// What to show of an execution and how.
class TraceControls : public ToolRow {
    Q_OBJECT
public:
    /// What concerns `panes` alone is done there.
    TraceControls(ViewContext& context, TracePanes& panes);

    [[nodiscard]] TraceLook look() const { return static_cast<TraceLook>(look_->currentIndex()); }
    void setLook(TraceLook look) { look_->setCurrentIndex(static_cast<int>(look)); }
    /// Whether there is a lane for the host of each profile.
    [[nodiscard]] bool host() const { return host_->isChecked(); }
    /// Whether what the host did before the first run is shown.
    [[nodiscard]] bool showsCompilation() const { return host() && compilation_->isChecked(); }
    /// The chosen part of these profiles; their colours are those of kinds.
    [[nodiscard]] TraceQuestion question(const ProfilePair& profiles, const Hosts& hosts) const;

    /// Whether two executions are aligned by operation, rather than by time.
    [[nodiscard]] bool aligned() const { return align_->currentIndex() == 1; }
    void setAligned(bool aligned) { align_->setCurrentIndex(aligned ? 1 : 0); }
    /// Offers that, for two executions.
    void offerAlignment(bool possible);

    [[nodiscard]] IpuField& ipu() { return *ipu_; }
    [[nodiscard]] QComboBox& run() { return *run_; }
    /// The button that shows and hides what the host did before the first run.
    [[nodiscard]] QToolButton& compilation() { return *compilation_; }
    [[nodiscard]] SearchBox& search() { return *search_; }

signals:
    void lookChanged();
    void hostChanged();
    void alignmentChanged();
    /// Other IPUs or rows are wanted.
    void contentChanged();
    void programWanted();
    void status(const QString& text);

private:
    void addOptions(TracePanes& panes);
    void connectIpus(TracePanes& panes);
    void addAlignment();

    QComboBox* look_;
    IpuField* ipu_;
    QComboBox* run_;
    QComboBox* align_ = nullptr;
    QToolButton* compilation_ = nullptr;
    SearchBox* search_ = nullptr;
    QAction* host_ = nullptr;
    QAction* runs_ = nullptr;
    QAction* syncs_ = nullptr;
};

} // namespace tilescope::views
