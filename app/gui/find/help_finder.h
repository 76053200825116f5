// The pages of the help and the manual.
#pragma once

#include "app/gui/find/finder.h"

namespace tilescope::gui {

/// Titles and headings of the pages, and their explanations of keys and terms.
class HelpFinder : public Finder {
public:
    HelpFinder();
    [[nodiscard]] QString heading() const override;
    [[nodiscard]] std::vector<Found> find(const QString& typed, std::size_t most,
                                          const std::stop_token& stop) const override;

private:
    struct Line {
        QString text;
        QString word;  ///< to find it on the page
        QString page;  ///< name of the page
        QString title; ///< of the page; empty if this line is the title
    };
    void readPage(const QString& page, const QString& markdown);

    std::vector<Line> lines_;
};

} // namespace tilescope::gui
