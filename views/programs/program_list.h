// The control programs and functions of a profile, to go to one of them.
#pragma once

#include <QListWidget>

#include "views/programs/program_model.h"

namespace tilescope::views {

/// A list with two headings. Choosing an entry says which program it is.
class ProgramList : public QListWidget {
    Q_OBJECT
public:
    explicit ProgramList(QWidget* parent = nullptr);
    void setTree(const ProgramTreeData& tree);
    /// Makes the root that contains a program the current entry.
    void showRootOf(ProgramId program, const ProgramTreeData& tree);

signals:
    void rootChosen(ProgramId root);

private:
    void addHeading(const QString& text);
};

} // namespace tilescope::views
