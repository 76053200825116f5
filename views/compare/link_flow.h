// Names that lead somewhere, one after the other over several lines.
#pragma once

#include <QLabel>

#include "views/session/view_context.h"

namespace tilescope::views {

/// A heading and a flow of links; the mouse and the Tab key reach each of them.
class LinkFlow : public QLabel {
    Q_OBJECT
public:
    explicit LinkFlow(ViewContext& context, QWidget* parent = nullptr);

    struct Link {
        QString text;
        QString toolTip;
        std::int32_t id = -1;
    };
    /// At most `most` links, then one to `everything` that says how many are left out.
    void setLinks(const QString& heading, std::vector<Link> links, std::size_t most);

signals:
    void chosen(std::int32_t id);
    /// The link to the names that are left out was followed.
    void moreWanted();

private:
    void show();

    ViewContext& context_;
    QString heading_;
    std::vector<Link> links_;
    std::size_t most_ = 0;
};

} // namespace tilescope::views
