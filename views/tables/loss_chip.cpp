#include "views/tables/loss_chip.h"

#include "views/tables/cell_text.h"

namespace tilescope::views {

LossChip::LossChip(ViewContext& context, QWidget* parent)
    : QToolButton(parent)
    , context_(context) {
    setObjectName(QStringLiteral("chip"));
    setCheckable(true); // looks like a switch that is on
    connect(this, &QToolButton::clicked, &context_.lossFilter, &LossFilter::clear);
    connect(&context_.lossFilter, &LossFilter::changed, this, &LossChip::follow);
    follow();
}

void LossChip::follow() {
    const auto kind = context_.lossFilter.kind();
    setVisible(kind.has_value());
    setChecked(true);
    if (!kind)
        return;
    const QString name = translated(std::string(displayName(*kind)));
    setText(tr("Only: %1  \u2715").arg(name));
    setToolTip(tr("Only the steps that '%1' counts are shown, in Execution Trace and Liveness. "
                  "Click to show all")
                   .arg(name));
    setAccessibleName(tr("Show all steps, not only those of %1").arg(name));
}

} // namespace tilescope::views
