// Parts of a page in one column or, where there is room, in two.
#pragma once

#include <QWidget>
#include <vector>

class QVBoxLayout;

namespace tilescope::views {

/// Parts below each other. A window that is wide enough for two readable columns has them side by
/// side, each part in the column that it was added to.
class CardColumns : public QWidget {
    Q_OBJECT
public:
    enum class Side { Left, Right };
    explicit CardColumns(QWidget* parent = nullptr);

    /// How two columns share the room.
    void setShares(int left, int right);
    /// Deletes all parts but the last one.
    void clear();
    void add(QWidget* part, Side side);
    /// A part that stays when others are cleared: below all parts of its column.
    void setLast(QWidget* part, Side side);
    /// In the order in which they were added, without the last one.
    [[nodiscard]] std::vector<QWidget*> parts() const;
    [[nodiscard]] bool hasTwo() const { return two_; }

    /// From this width on there are two columns; pixels.
    static constexpr int leastForTwo = 1480;
    static constexpr int spacing = 10; ///< between parts; pixels

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Part {
        QWidget* widget = nullptr;
        Side side = Side::Left;
    };
    void arrange();

    std::vector<Part> parts_;
    Part last_;
    QWidget* right_;
    QVBoxLayout* leftColumn_;
    QVBoxLayout* rightColumn_;
    bool two_ = false;
};

} // namespace tilescope::views
