// Several profiles as a table, of which any two are compared.
#pragma once

#include <QWidget>

#include "app/gui/candidates/candidates.h"
#include "views/query/background_query.h"
#include "views/tables/table_panel.h"
#include "views/widgets/wrapped_label.h"

class QLabel;
class QPushButton;

namespace tilescope::gui {

/// A line for each profile: what it runs, how fast, whether it fits, and its memory by tile and
/// over its steps as lines of bars on one scale. Two of them are source and target of a comparison.
class ProfilesPage : public QWidget {
    Q_OBJECT
public:
    explicit ProfilesPage(views::ViewContext& context, QWidget* parent = nullptr);

    /// Reads the files anew; the first two are source and target.
    void open(const QStringList& files);
    void reload() { read(); }
    [[nodiscard]] const QStringList& files() const { return files_; }
    [[nodiscard]] views::TablePanel& table() { return *table_; }
    void setSource(std::int32_t row);
    void setTarget(std::int32_t row);
    /// Opens source and target.
    void compare();

signals:
    /// One profile, or source and target.
    void profilesWanted(const QStringList& files);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    QWidget* makeButtons();
    void read();
    void show(ReadProfiles read);
    void list();
    void updateButtons();
    [[nodiscard]] std::int32_t chosen() const;
    [[nodiscard]] bool has(std::int32_t row) const;

    QStringList files_;
    QLabel* heading_;
    views::WrappedLabel* problems_;
    views::TablePanel* table_;
    QPushButton* source_ = nullptr;
    QPushButton* target_ = nullptr;
    QPushButton* compare_ = nullptr;
    std::vector<Candidate> profiles_;
    std::int32_t sourceRow_ = 0;
    std::int32_t targetRow_ = 1;
    views::BackgroundQuery query_;
};

} // namespace tilescope::gui
