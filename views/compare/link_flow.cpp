#include "views/compare/link_flow.h"

#include <algorithm>

namespace tilescope::views {

LinkFlow::LinkFlow(ViewContext& context, QWidget* parent)
    : QLabel(parent)
    , context_(context) {
    setWordWrap(true);
    setTextFormat(Qt::RichText);
    setAlignment(Qt::AlignTop | Qt::AlignLeft);
    setTextInteractionFlags(Qt::TextBrowserInteraction);
    setFocusPolicy(Qt::StrongFocus);
    setContextMenuPolicy(Qt::NoContextMenu); // that of a label copies where links lead to: numbers
    connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
        if (link == QLatin1String("more"))
            emit moreWanted();
        else
            emit chosen(links_.at(link.toUInt()).id);
    });
    connect(this, &QLabel::linkHovered, this, [this](const QString& link) {
        bool isNumber = false;
        const uint at = link.toUInt(&isNumber);
        setToolTip(isNumber && at < links_.size() ? links_[at].toolTip : QString());
    });
    connect(&context_.theme, &ThemeSource::changed, this, &LinkFlow::show);
}

void LinkFlow::setLinks(const QString& heading, std::vector<Link> links, std::size_t most) {
    heading_ = heading;
    links_ = std::move(links);
    most_ = most;
    setAccessibleName(heading_);
    show();
}

void LinkFlow::show() {
    // The application's palette knows one colour for links; on dark ground it is too dark.
    const QString colour = context_.theme.current().accent.name();
    const auto anchor = [&](const QString& target, const QString& text) {
        // A word joiner keeps a name from breaking after a slash or dot, so that it reads as one.
        QString whole = text.toHtmlEscaped();
        for (const QString& sign : {QStringLiteral("/"), QStringLiteral(".")})
            whole.replace(sign, sign + QChar(0x2060));
        return QStringLiteral("<a href='%1' style='color:%2; text-decoration:none'>%3</a>")
            .arg(target, colour, whole);
    };
    QStringList names;
    const std::size_t shown = std::min(most_, links_.size());
    for (std::size_t i = 0; i < shown; ++i)
        names << anchor(QString::number(i), links_[i].text);
    if (shown < links_.size())
        names << anchor(QStringLiteral("more"), tr("and %1 more\u2026").arg(links_.size() - shown));
    setText(QStringLiteral("<b>%1</b><p style='line-height:145%; margin-top:4px'>%2</p>")
                .arg(heading_.toHtmlEscaped(), names.join(QStringLiteral(" \u00b7 "))));
}

} // namespace tilescope::views
