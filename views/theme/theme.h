// Colours of the window, light and dark.
#pragma once

#include <QColor>
#include <QObject>
#include <QPalette>
#include <QString>

#include "core/profile/kinds.h"
#include "views/theme/data_palette.h"

namespace tilescope::views {

/// The colours of one theme.
struct Theme {
    bool dark = false;
    QColor window;  ///< behind everything
    QColor surface; ///< tables, plots
    QColor raised;  ///< side menu, headers
    QColor border;
    QColor grid;
    QColor text;
    QColor mutedText;
    QColor accent;   ///< selection, links
    QColor selected; ///< background of a selected row
    QColor good;
    QColor warning;
    QColor bad;
    DataPalette data;
    QColor source; ///< data of the first profile
    QColor target; ///< data of the second
    QColor alwaysLive;
    QColor notAlwaysLive;
    QColor limit; ///< the line at the memory of a tile

    [[nodiscard]] QColor kind(ProgramKind kind) const;
    [[nodiscard]] QColor category(MemoryCategory category) const;
    [[nodiscard]] QColor region(MemoryRegion region) const;
    /// The n-th of a series of colours, for what has no colour of its own.
    [[nodiscard]] QColor series(int n) const;
    /// Black or white, whichever reads better on `background`.
    [[nodiscard]] static QColor textOn(const QColor& background);
    [[nodiscard]] QPalette palette() const;
    [[nodiscard]] QString styleSheet() const;
};

/// A mixture of two colours; `share` 0 gives `a`, 1 gives `b`.
QColor mixed(const QColor& a, const QColor& b, double share);

Theme lightTheme(DataColours colours = DataColours::OkabeIto);
Theme darkTheme(DataColours colours = DataColours::OkabeIto);

/// Rich text that begins with a tick or a cross in its colour.
QString verdictHtml(const Theme& theme, bool good, const QString& text);

/// The theme in force; views follow changed().
class ThemeSource : public QObject {
    Q_OBJECT
public:
    explicit ThemeSource(QObject* parent = nullptr);
    [[nodiscard]] const Theme& current() const { return theme_; }
    void set(const Theme& theme);

signals:
    void changed();

private:
    Theme theme_;
};

} // namespace tilescope::views
