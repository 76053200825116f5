#include "views/widgets/write_output.h"

#include <QFileInfo>
#include <string_view>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "views/theme/text.h"

namespace tilescope::views {

namespace {

/// The exception of `write` as a sentence.
template <class Write> QString problemOf(const QString& file, Write write) {
    try {
        // The user chooses a folder; a missing one is not created.
        const QString folder = QFileInfo(file).absolutePath();
        if (!QFileInfo(folder).isDir())
            return Text::tr("Cannot write '%1': there is no folder '%2'").arg(file, folder);
        write();
        return {};
    } catch (const UserError& error) {
        QString text = QString::fromUtf8(error.what());
        text[0] = text[0].toUpper();
        return text;
    }
}

} // namespace

QString checkOutput(const QString& file) {
    return problemOf(file, [&] { checkWritable(file.toStdString()); });
}

QString writeOutput(const QString& file, const QByteArray& bytes) {
    return problemOf(file, [&] {
        writeFileAtomically(file.toStdString(),
                            std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
    });
}

} // namespace tilescope::views
