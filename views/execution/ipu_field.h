// The choice of IPUs above an execution.
#pragma once

#include <QComboBox>
#include <QJsonObject>

#include "views/session/ipu_set.h"

namespace tilescope::views {

/// All IPUs, one of them, or a typed list: "0-3,8". Says why a text is not a list of IPUs, and
/// returns to the last choice when it loses the focus.
class IpuField : public QComboBox {
    Q_OBJECT
    /// See controlStates(): a typed list is not an item.
    Q_PROPERTY(QJsonObject keptState READ keptState WRITE setKeptState)
public:
    explicit IpuField(QWidget* parent = nullptr);

    /// The number of IPUs of a machine; chooses all of them.
    void setCount(std::int32_t count);
    [[nodiscard]] const IpuSet& ipus() const { return ipus_; }
    /// One; all with -1.
    void choose(std::int32_t ipu);

    [[nodiscard]] QJsonObject keptState() const;
    void setKeptState(const QJsonObject& state);

signals:
    void chosen();
    /// An empty text when a list is accepted: the last refusal no longer holds.
    void refused(const QString& why);

protected:
    void focusOutEvent(QFocusEvent* event) override;

private:
    void take(const QString& text);

    std::int32_t count_ = 0;
    IpuSet ipus_;
    QString taken_; ///< the text of what is chosen
};

} // namespace tilescope::views
