// The choice of IPUs above an execution.
#pragma once

#include <QComboBox>
#include <QJsonObject>

#include "views/session/ipu_set.h"

namespace tilescope::views {

/// All IPUs, one of them, or what is typed: "0-3,8". Says why a text is no such list, and shows
/// what was chosen before when the user goes on elsewhere.
class IpuField : public QComboBox {
    Q_OBJECT
    /// See controlStates(): a list that was typed is no item.
    Q_PROPERTY(QJsonObject keptState READ keptState WRITE setKeptState)
public:
    explicit IpuField(QWidget* parent = nullptr);

    /// Those of a machine; all are chosen then.
    void setCount(std::int32_t count);
    [[nodiscard]] const IpuSet& ipus() const { return ipus_; }
    /// One; all with -1.
    void choose(std::int32_t ipu);

    [[nodiscard]] QJsonObject keptState() const;
    void setKeptState(const QJsonObject& state);

signals:
    void chosen();
    /// Nothing when a list is taken: what was said of the one before is over.
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
