// The loss whose steps are shown alone.
#pragma once

#include <QObject>
#include <optional>

#include "core/analysis/insights/losses.h"

namespace tilescope::views {

/// One for a window: the execution's boxes and its table, and Liveness, show the steps that a loss
/// counts, or (none) all of them.
class LossFilter : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] std::optional<LossKind> kind() const { return kind_; }
    void set(std::optional<LossKind> kind) {
        if (kind == kind_)
            return;
        kind_ = kind;
        emit changed();
    }
    void clear() { set(std::nullopt); }

signals:
    void changed();

private:
    std::optional<LossKind> kind_;
};

} // namespace tilescope::views
