// Details of the selected row of the operations report.
#pragma once

#include <QTabWidget>

#include "views/operations/operations_content.h"
#include "views/tables/table_panel.h"

namespace tilescope::views {

/// Tabs: summary, program steps, code, cycles.
class GroupTabs : public QTabWidget {
    Q_OBJECT
public:
    explicit GroupTabs(ViewContext& context, QWidget* parent = nullptr);

    void setDetails(GroupDetails details, bool executed, bool comparing);
    [[nodiscard]] TablePanel& steps() { return *steps_; }
    [[nodiscard]] NamedBars& code() { return *code_; }
    [[nodiscard]] NamedBars& cycles() { return *cycles_; }

signals:
    /// A step was selected (in the steps, or by its bar).
    void stepChosen(std::int32_t program);
    /// The user wants to see it in the program tree.
    void stepActivated(std::int32_t program);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitTitles();

    ValueTreeView* summary_;
    TablePanel* steps_;
    NamedBars* code_;
    NamedBars* cycles_;
    bool executed_ = false;
    bool comparing_ = false;
};

} // namespace tilescope::views
