// The program tree report.
#pragma once

#include <array>

#include "views/programs/program_list.h"
#include "views/tables/value_tree.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/pointed.h"
#include "views/widgets/report_view.h"
#include "views/widgets/search_box.h"
#include "views/widgets/tool_row.h"

class QLabel;
class QTreeView;

namespace tilescope::views {

/// The tree above, beside it that of the other profile; the selected program's details below.
/// Selecting a program selects its counterpart, and branches open and close together.
class ProgramsView : public ReportView {
    Q_OBJECT
public:
    explicit ProgramsView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override { search_->focus(); }
    [[nodiscard]] ProgramModel& model() { return *sides_[0].model; }
    [[nodiscard]] QTreeView& tree() { return *sides_[0].view; }
    [[nodiscard]] ProgramModel& targetModel() { return *sides_[1].model; }
    [[nodiscard]] QTreeView& targetTree() { return *sides_[1].view; }
    [[nodiscard]] ProgramList& list() { return *list_; }
    [[nodiscard]] SearchBox& search() { return *search_; }

protected:
    void reload() override;
    void followSelection() override;

private:
    struct Side {
        ProgramModel* model = nullptr;
        QTreeView* view = nullptr;
        QLabel* title = nullptr;
        QWidget* page = nullptr;
    };
    ToolRow* makeTools();
    QWidget* makeTrees();
    QWidget* makeSide(std::size_t side);
    void readTrees();
    void treesRead();
    void fitNumbers();
    void showOperations(const Side& side);
    void showList();
    void expandFirstLevels();
    void show(std::size_t side, ProgramId program);
    void chosen(std::size_t side, ProgramId program);
    void showCounterpart(std::size_t side, ProgramId program);
    void expandOther(std::size_t side, const QModelIndex& index, bool open);
    void loadDetails(ProgramId source, ProgramId target);
    void goToFunction(std::size_t side, const QModelIndex& index);
    [[nodiscard]] Pointed pointed(std::size_t side, ProgramId program);
    void showInTrace();
    bool eventFilter(QObject* watched, QEvent* event) override;
    void findNext(bool forward);
    void findDifference(bool forward);
    void updateMatches();
    [[nodiscard]] ProgramId current(std::size_t side) const;

    static constexpr std::size_t sourceSide = 0;
    static constexpr std::size_t targetSide = 1;
    std::array<Side, 2> sides_;
    std::size_t active_ = 0; ///< the side that the user has touched last
    bool following_ = false; ///< the other side is being brought into line
    LoadingPanel* treePanel_ = nullptr;
    ProgramList* list_ = nullptr;
    SearchBox* search_ = nullptr;
    QToolButton* function_ = nullptr;
    QToolButton* trace_ = nullptr;
    std::array<QToolButton*, 2> differences_{};
    LoadingPanel* detailsPanel_;
    ValueTreeView* details_;
};

} // namespace tilescope::views
