// The largest users of memory on the model, an IPU or a tile, as a table among the insights.
#pragma once

#include "core/analysis/compare/profile_pair.h"
#include "core/analysis/insights/largest_parts.h"
#include "views/query/background_query.h"
#include "views/session/view_context.h"
#include "views/widgets/fact_card.h"

class QComboBox;
class QSpinBox;

namespace tilescope::views {

class TablePanel;
class ToolRow;

/// The largest parts of one kind; two profiles are beside each other, matched by name.
class LargestPanel : public Card {
    Q_OBJECT
public:
    explicit LargestPanel(ViewContext& context, QWidget* parent = nullptr);

    /// Shows these profiles: at first the whole model; the choice of a tile begins with the
    /// source's fullest one.
    void setProfiles(const ProfilePair& profiles);
    [[nodiscard]] TablePanel& table() { return *table_; }

signals:
    /// The user follows a row of the source to the report that shows it.
    void followed(const tilescope::InsightLink& link);

private:
    enum class Scope { Model, Ipu, Tile };
    [[nodiscard]] Scope scope() const;
    [[nodiscard]] TileSelection selection() const;
    void changeScope();
    void load();
    void follow(std::int32_t row);

    ViewContext& context_;
    ProfilePair profiles_;
    ToolRow* tools_;
    QComboBox* kind_;
    QComboBox* scope_;
    QSpinBox* number_;
    TablePanel* table_;
    BackgroundQuery query_;
    TileId fullest_;                  ///< of the source
    std::vector<SizedPart> ofSource_; ///< indexed by the ids of the table's rows
};

} // namespace tilescope::views
