// A table with a filter box and a summary line.
#pragma once

#include <QWidget>

#include "views/tables/table_model.h"
#include "views/widgets/loading_panel.h"
#include "views/widgets/pointed.h"

class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QTableView;

namespace tilescope::views {

/// Shows a Table that is loaded in the background, or a hint in its place.
class TablePanel : public QWidget {
    Q_OBJECT
public:
    TablePanel(ViewContext& context, const QString& filterHint, About about = About::OpenProfiles);

    /// Makes a table on a worker thread.
    using MakeTable = std::function<Table(std::stop_token)>;
    void load(MakeTable make);
    void setTable(Table table);
    /// Text in place of the table, such as "Select a step".
    void showHint(const QString& title, const QString& text = {});
    /// Selects the row of an id, also in tables that come later.
    void selectId(std::int32_t id);
    void focusFilter();
    [[nodiscard]] QLineEdit& filter() { return *filter_; }
    /// Shows rows with this text alone, as if the user had typed it; all of them if it is empty.
    void filterBy(const QString& text);
    /// The rows are items of this kind: the table and the window's selection follow each other.
    template <class Id> void follow(Id Selected::*item) {
        setThings([](std::int32_t id) { return Selected(Id(id)); });
        connect(this, &TablePanel::chosen, this, [this, item](std::int32_t id) {
            if (id >= 0) // items that only the target has cannot be selected
                context_.selection.update([&](Selected& s) { s.*item = Id(id); });
        });
        const auto select = [this, item] {
            selectId((context_.selection.current().*item).value());
        };
        connect(&context_.selection, &Selection::changed, this, select);
        select();
    }
    /// Maps rows' ids to what they are, if follow() does not: their context menu leads to it.
    void setThings(std::function<Selected(std::int32_t id)> things) { things_ = std::move(things); }
    /// A choice with a name beside the filter.
    QComboBox* addChoice(const QString& name, const QStringList& texts);
    /// The least width of the first column, where other columns need the room.
    void setNarrowestName(int pixels) { narrowestName_ = pixels; }
    /// Lets the user select several rows, with Ctrl and Shift.
    void allowSeveral();
    /// Pixels that show all rows, or the hint.
    [[nodiscard]] int neededHeight() const;
    /// The ids of the selected rows.
    [[nodiscard]] std::vector<std::int32_t> chosenIds() const;
    [[nodiscard]] TableModel& model() { return *model_; }
    [[nodiscard]] QTableView& view() { return *view_; }

signals:
    void neededHeightChanged();
    /// The user has selected a row; the last of several.
    void chosen(std::int32_t id);
    void activated(std::int32_t id);
    /// The user has changed which rows are selected.
    void selectedIds(const std::vector<std::int32_t>& ids);

private:
    [[nodiscard]] Pointed pointed(const QModelIndex& index);
    void layOutColumns();
    void fitNameColumn();
    [[nodiscard]] int longestName() const;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void updateSummary();

    ViewContext& context_;
    TableModel* model_;
    QTableView* view_;
    QLineEdit* filter_;
    QLabel* summary_;
    QHBoxLayout* line_; ///< of the filter
    QLabel* nothing_;   ///< over a table whose filter leaves no row
    LoadingPanel* loading_;
    std::function<Selected(std::int32_t)> things_; ///< null if rows are not things
    int narrowestName_ = 210;                      ///< pixels of the first column
    int longestName_ = 0;                          ///< pixels that it needs
    std::int32_t wanted_ = -1;                     ///< id of the row to select
    bool several_ = false;                         ///< rows may be selected together
    bool selecting_ = false;                       ///< the selection is being changed by selectId()
};

} // namespace tilescope::views
