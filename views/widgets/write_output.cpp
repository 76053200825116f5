#include "views/widgets/write_output.h"

#include <string_view>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace tilescope::views {

QString writeOutput(const QString& file, const QByteArray& bytes) {
    try {
        writeFileAtomically(file.toStdString(),
                            std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
        return {};
    } catch (const UserError& error) {
        QString text = QString::fromUtf8(error.what());
        text[0] = text[0].toUpper(); // in a window it is a sentence
        return text;
    }
}

} // namespace tilescope::views
