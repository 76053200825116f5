// The controls above an execution.
#pragma once

#include "views/execution/trace_content.h"
#include "views/widgets/search_box.h"
#include "views/widgets/tool_row.h"

class QAction;

namespace tilescope::views {

/// What to show of an execution, as the user has chosen.
class TraceControls : public ToolRow {
    Q_OBJECT
public:
    explicit TraceControls(QWidget* parent = nullptr);

    [[nodiscard]] TraceLook look() const { return static_cast<TraceLook>(look_->currentIndex()); }
    void setLook(TraceLook look) { look_->setCurrentIndex(static_cast<int>(look)); }
    /// The chosen IPU; none for all.
    [[nodiscard]] IpuId ipu() const { return IpuId(ipu_->currentIndex() - 1); }
    /// Offers as many IPUs, and shows all of them.
    void setIpus(std::int32_t count);
    [[nodiscard]] int run() const { return run_->currentIndex(); }
    void setRuns(const QStringList& names, int chosen);
    [[nodiscard]] bool showsHost() const;
    /// Whether what the host did before the first run is to be shown.
    [[nodiscard]] bool showsCompilation() const;
    /// Adds rows and boxes to what is asked.
    void addTo(TraceQuestion& question) const;
    [[nodiscard]] SearchBox& search() { return *search_; }
    [[nodiscard]] QToolButton& compilation() { return *compilation_; }

signals:
    void lookChanged();
    /// Other IPUs, rows or boxes.
    void rowsChanged();
    void runChosen(int run);
    /// The host, or what it did before the first run, is to be shown or not.
    void hostChanged();
    void namesChanged(bool shown);
    void allRowsChanged(bool inSight);
    void fitWanted();
    void programWanted();
    void saveWanted();

private:
    void makeOptions();

    QComboBox* look_;
    QComboBox* ipu_;
    QComboBox* run_;
    QToolButton* compilation_ = nullptr;
    SearchBox* search_ = nullptr;
    QAction* showsHost_ = nullptr;
    QAction* showsRuns_ = nullptr;
    QAction* showsSyncs_ = nullptr;
};

} // namespace tilescope::views
