// Finding anything of a window by a few letters: what is found, and what finds it.
#pragma once

#include <QString>
#include <functional>
#include <stop_token>
#include <vector>

#include "views/session/selection.h"

namespace tilescope::gui {

/// The window as hits see it: they say what is wanted, the window knows where that is.
class Guide {
public:
    virtual ~Guide() = default;
    /// Selects it and brings a report to the front that shows such a thing.
    virtual void show(const views::Selected& thing) = 0;
    /// What lies on one IPU.
    virtual void showIpu(IpuId ipu) = 0;
    /// The value of an option of the run, or the dialog of another run where it was not given.
    virtual void showOption(const QString& key) = 0;
    /// A page of the help, at a heading unless that is empty.
    virtual void showHelp(const QString& page, const QString& heading) = 0;
    /// The keyboard goes to what the report in front is mostly about, or its tab of that title.
    virtual void focusContent(const QString& section) = 0;
};

/// Something that answers to what was typed.
struct Found {
    QString text;   ///< what was searched: "layer1/0/conv2"
    QString detail; ///< what tells it from others: "Conv", "Ctrl+4"
    std::function<void(Guide&)> go;
};

/// Finds things of one kind. A new kind is a class and its line in allFinders().
class Finder {
public:
    virtual ~Finder() = default;
    /// What its hits are: "Operations".
    [[nodiscard]] virtual QString heading() const = 0;
    /// It reads no profile and is asked in the window's thread; others on a worker.
    [[nodiscard]] virtual bool quick() const { return true; }
    /// At most `most` hits, the best first; of nothing typed none. Throws UserError for a damaged
    /// profile, Cancelled after a stop.
    [[nodiscard]] virtual std::vector<Found> find(const QString& typed, std::size_t most,
                                                  const std::stop_token& stop) const = 0;
};

} // namespace tilescope::gui
