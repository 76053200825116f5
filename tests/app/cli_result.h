// The output of a command run within the test.
#pragma once

#include <QJsonDocument>
#include <QJsonObject>
#include <QString>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/commands/cli.h"
#include "tests/support/qt_text.h"

namespace tilescope::test {

struct CliResult {
    int status = 0;
    QString out;
    QString err;
};

inline CliResult runCommand(std::vector<std::string> arguments, bool terminal = false) {
    std::ostringstream out;
    std::ostringstream err;
    const int status = cli::runCli(std::move(arguments), {out, err, terminal});
    return {status, text(out.str()), text(err.str())};
}

/// Its output with --json.
inline QJsonObject json(const CliResult& result) {
    return QJsonDocument::fromJson(result.out.toUtf8()).object();
}

} // namespace tilescope::test
