// Texts to translate outside of classes that Qt's meta-objects know.
#pragma once

#include <QCoreApplication>

namespace tilescope::views {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(TileScope)
};

} // namespace tilescope::views
