// The base of all reports.
#pragma once

#include <QWidget>
#include <map>
#include <optional>
#include <string>

#include "views/session/view_context.h"
#include "views/widgets/control_states.h"

namespace tilescope::views {

/// A report that reads its profiles when it is first seen, and again after others were opened.
class ReportView : public QWidget {
    Q_OBJECT
public:
    explicit ReportView(ViewContext& context, QWidget* parent = nullptr);

    /// '/' and Ctrl+F: the search or filter box of the report.
    virtual void focusSearch() {}
    /// Brings a part of the report to the front by its name, such as the title of a tab; false if
    /// it has no such part.
    bool showSection(const QString& name) { return chooseByText(*this, name); }
    /// Shows where the execution of the source (or the target, whose id it is then) spends most on
    /// an operation. Only the execution trace does.
    virtual void goToOperation(OperationId, bool /*target*/) {}
    /// The horizontal axis of the report's plots; null if it has none, or no data for it.
    [[nodiscard]] virtual ZoomRange* axis() { return nullptr; }

signals:
    /// The item under the pointer, for the status bar.
    void status(const QString& text);
    /// The user wants another report: its name on the command line, "name:section", or a section of
    /// Memory.
    void reportWanted(const QString& name);
    /// The user wants an operation's place in the execution trace; see goToOperation().
    void traceWanted(tilescope::OperationId operation, bool target);
    /// The user wants to run a profile's model again with one option (or the key "model") changed,
    /// and with the options that this needs; if the value is empty the user chooses it.
    void runAgainWanted(const tilescope::ProfileViewPtr& profile, const std::string& key,
                        const std::string& value, const std::map<std::string, std::string>& with);
    /// The user wants all suggestions for a profile to be simulated.
    void tryAllWanted(const tilescope::ProfileViewPtr& profile);

protected:
    /// Reads the profiles that are open now; there is at least a source.
    virtual void reload() = 0;
    /// Shows the selection, also when the report comes to the front with its profiles already read.
    virtual void followSelection() {}
    /// Theme or units have changed, maybe while the report was hidden.
    virtual void restyle() {}
    void showEvent(QShowEvent* event) override;

    [[nodiscard]] ViewContext& context() const { return context_; }
    /// The profiles that the report has read: it shows and queries the same ones, even while others
    /// are opened or after they were closed.
    [[nodiscard]] const ProfilePair& profiles() const { return profiles_; }
    [[nodiscard]] bool comparing() const { return profiles().comparing(); }

private:
    void reloadIfSeen();
    void restyleIfSeen();

    [[nodiscard]] bool stale() const { return read_ != context_.reports.changes(); }

    ViewContext& context_;
    ProfilePair profiles_;
    std::optional<std::uint64_t> read_; ///< ReportPair::changes() when they were opened
    bool styleStale_ = false;
};

} // namespace tilescope::views
