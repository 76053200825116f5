// The selection, shared by all views.
#pragma once

#include <QObject>
#include <vector>

#include "core/base/ids.h"
#include "core/profile/values.h"

namespace tilescope::views {

/// Everything that can be selected; an invalid id (or no tiles) means "nothing".
struct Selected {
    IpuId ipu;
    std::vector<TileId> tiles;
    StepId step;
    VariableId variable;
    OperationId operation;
    ComputeSetId computeSet;
    ProgramId program;
    VertexTypeId vertexType;
    ExchangeId exchange;
    ValueTensorId tensor; ///< of a computed run; the operation is the one that it belongs to
    friend bool operator==(const Selected&, const Selected&) = default;
};

/// The one selection of the window. Views change it with update() and follow changed(); History
/// keeps earlier ones.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] const Selected& current() const { return current_; }
    void set(const Selected& selected);
    /// Copies the current selection, lets `change` edit the copy and sets it.
    template <class Change> void update(Change change) {
        Selected next = current_;
        change(next);
        set(next);
    }
    void clear() { set({}); }

signals:
    void changed();

private:
    Selected current_;
};

} // namespace tilescope::views
