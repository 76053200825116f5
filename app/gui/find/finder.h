// Finding anything in a window by a few letters: hits and finders.
#pragma once

#include <QString>
#include <functional>
#include <stop_token>
#include <vector>

#include "views/session/selection.h"

namespace tilescope::gui {

/// The interface of the window for hits: it shows what they ask for, wherever that is.
class Guide {
public:
    virtual ~Guide() = default;
    /// Selects it and brings a report that can show it to the front.
    virtual void show(const views::Selected& thing) = 0;
    /// The contents of one IPU.
    virtual void showIpu(IpuId ipu) = 0;
    /// The value of an option of the run, or the dialog of another run where it was not given.
    virtual void showOption(const QString& key) = 0;
    /// A page of the help, at a heading unless that is empty.
    virtual void showHelp(const QString& page, const QString& heading) = 0;
    /// Gives the keyboard to the main widget of the report in front, or of its tab of that title.
    virtual void focusContent(const QString& section) = 0;
};

/// Something that matches the typed text.
struct Found {
    QString text;   ///< the text searched in: "layer1/0/conv2"
    QString detail; ///< what distinguishes it from others: "Conv", "Ctrl+4"
    std::function<void(Guide&)> go;
};

/// Finds things of one kind. A new kind needs a class and a line in allFinders().
class Finder {
public:
    virtual ~Finder() = default;
    /// The heading of its hits: "Operations".
    [[nodiscard]] virtual QString heading() const = 0;
    /// It reads no profile and is called in the window's thread; others on a worker.
    [[nodiscard]] virtual bool quick() const { return true; }
    /// At most `most` hits, the best first; none if nothing is typed. Throws UserError for a
    /// damaged profile, Cancelled after a stop.
    [[nodiscard]] virtual std::vector<Found> find(const QString& typed, std::size_t most,
                                                  const std::stop_token& stop) const = 0;
};

} // namespace tilescope::gui
