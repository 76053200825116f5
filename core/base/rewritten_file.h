// The error of a file that another program writes while it is read.
#pragma once

#include <string>

#include "core/base/error.h"
#include "core/base/file_stamp.h"

namespace tilescope {

/// What was read is of two contents, and no damage.
class RewrittenFile : public UserError {
public:
    explicit RewrittenFile(const std::string& file)
        : UserError("'" + file + "' was rewritten while it was being read: open it again.") {}
};

/// Returns the result of `read`. If it fails and the file has changed since, that is the error.
template <class Read>
auto noticingChange(const std::filesystem::path& file, const FileStamp& since, const Read& read)
    -> decltype(read()) {
    try {
        return read();
    } catch (const UserError&) {
        if (const FileStamp now = stampOf(file); now.exists() && now != since)
            throw RewrittenFile(file.string());
        throw;
    }
}

} // namespace tilescope
