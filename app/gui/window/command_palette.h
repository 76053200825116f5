// Search over everything in the window.
#pragma once

#include <QDialog>
#include <memory>

#include "app/gui/find/all_finders.h"
#include "views/query/background_query.h"

class QLabel;
class QLineEdit;
class QListWidget;

namespace tilescope::gui {

class MainWindow;

/// Matches for a few letters: commands, controls of the report in front, parts of the profile,
/// options, help. Hits appear as they are found, under headings; Enter goes to the chosen one.
/// Kinds whose best hit contains the text come before those with only its letters.
class CommandPalette : public QDialog {
    Q_OBJECT
public:
    explicit CommandPalette(MainWindow& window);
    [[nodiscard]] QLineEdit& field() { return *field_; }
    [[nodiscard]] QListWidget& list() { return *list_; }

    static constexpr std::size_t mostOfKind = 20; ///< hits

private:
    struct Kind {
        std::shared_ptr<const Finder> finder;          ///< shared with the background query
        std::unique_ptr<views::BackgroundQuery> query; ///< none for quick finders
        std::vector<Found> found;
    };
    void fill(const QString& typed);
    void ask(Kind& kind, const QString& typed);
    void showFound();
    void addHeading(const QString& text);
    void addHit(std::size_t kind, std::size_t hit);
    [[nodiscard]] std::vector<std::size_t> order() const;
    [[nodiscard]] bool hasText(const Kind& kind) const;
    [[nodiscard]] bool searches() const;
    void run();
    void move(int step);
    bool eventFilter(QObject* watched, QEvent* event) override;

    MainWindow& window_;
    std::vector<Kind> kinds_;
    QString typed_;
    bool walked_ = false; ///< the arrow keys have chosen a hit
    QLineEdit* field_;
    QListWidget* list_;
    QLabel* nothing_;
};

} // namespace tilescope::gui
