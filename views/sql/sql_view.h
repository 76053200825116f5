// The query report: any SELECT on the profiles that are open.
#pragma once

#include "views/query/background_query.h"
#include "views/sql/schema_tree.h"
#include "views/sql/sql_editor.h"
#include "views/tables/table_model.h"
#include "views/widgets/report_view.h"
#include "views/widgets/wrapped_label.h"

class QComboBox;
class QLabel;
class QMenu;
class QTableView;
class QToolButton;

namespace tilescope::views {

class ToolRow;

/// An editor with examples, history and saved queries, the tables there are, and the rows of the
/// answer. Profiles are opened for reading only. With two profiles a query runs on one of them;
/// on the source, tables of the target are named target.TABLE.
class SqlView : public ReportView {
    Q_OBJECT
public:
    explicit SqlView(ViewContext& context, QWidget* parent = nullptr);
    void focusSearch() override { schema_->focusFilter(); }

    void run();
    void cancel();
    /// The rows on the screen, or those selected, as tab separated text.
    void copyRows();

    [[nodiscard]] SqlEditor& editor() { return *editor_; }
    [[nodiscard]] TableModel& model() { return *model_; }
    [[nodiscard]] QTableView& table() { return *table_; }
    [[nodiscard]] QString statusText() const;
    [[nodiscard]] bool running() const { return query_.running(); }

protected:
    void reload() override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeTools();
    QWidget* makeResult();
    QToolButton* addMenu(ToolRow& row, const QString& text, const QString& toolTip,
                         void (SqlView::*fill)(QMenu&));
    void fillExamples(QMenu& menu);
    void fillHistory(QMenu& menu);
    void fillSaved(QMenu& menu);
    void askForName();
    void show(SqlAnswer answer, int begin, std::size_t limit);
    void showError(const SqlAnswer& answer, int begin);
    void setRunning(bool running);
    [[nodiscard]] ProfileViewPtr chosenProfile() const;

    BackgroundQuery query_;
    BackgroundQuery schemaQuery_;
    TableModel* model_;
    SqlEditor* editor_;
    SchemaTree* schema_;
    QTableView* table_ = nullptr;
    WrappedLabel* error_ = nullptr;
    QLabel* status_ = nullptr;
    QToolButton* run_ = nullptr;
    QToolButton* cancel_ = nullptr;
    QToolButton* copy_ = nullptr;
    QToolButton* save_ = nullptr;
    QWidget* profileBox_ = nullptr;
    QComboBox* profile_ = nullptr;
    QComboBox* limit_ = nullptr;
};

} // namespace tilescope::views
