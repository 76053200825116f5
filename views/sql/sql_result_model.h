// The rows that a query gave, as an item model.
#pragma once

#include <QAbstractTableModel>

#include "core/database/sql_query.h"
#include "views/theme/theme.h"

namespace tilescope::views {

/// Shows values as SQL has them: plain digits, NULL, sizes of blobs. Sorts the rows themselves, so
/// that result() is what the screen shows.
class SqlResultModel : public QAbstractTableModel {
    Q_OBJECT
public:
    explicit SqlResultModel(const ThemeSource& theme, QObject* parent = nullptr);

    void setResult(SqlResult result);
    [[nodiscard]] const SqlResult& result() const { return result_; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;
    void sort(int column, Qt::SortOrder order) override;

private:
    const ThemeSource& theme_;
    SqlResult result_;
};

} // namespace tilescope::views
