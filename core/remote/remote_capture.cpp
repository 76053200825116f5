#include "core/remote/remote_capture.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/printable.h"

namespace tilescope {
namespace {

/// A shell's commands that print the folder of the capture. The script's status 1 means that parts
/// are missing, which the import says.
std::string commandsFor(const RemoteCaptureRequest& request, const RemoteAddress& profile,
                        const std::string& name) {
    return fmt::format(
        "folder=$(mktemp -d) || exit 1; . {} >&2 || {{ rmdir \"$folder\"; exit 2; }}; "
        "python3 - {} -o \"$folder\"/{} >&2; status=$?; "
        "if [ $status -gt 1 ]; then rmdir \"$folder\"; exit $status; fi; "
        "printf %s \"$folder\"",
        shellWord(request.enable), shellPath(profile), shellWord(name));
}

bool isFolder(const std::string& path) {
    return path.size() > 1 && path.front() == '/' &&
           std::none_of(path.begin(), path.end(),
                        [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

} // namespace

std::filesystem::path captureRemote(const SshProgram& ssh, const RemoteCaptureRequest& request,
                                    const std::filesystem::path& copies,
                                    const CopyProgress& progress, const std::stop_token& stop) {
    if (!request.enable.starts_with('/'))
        throw UserError(fmt::format("'{}' is no absolute path of the SDK's enable script on '{}'",
                                    request.enable, request.profile.host));
    RemoteAddress profile = request.profile;
    if (remoteEntry(ssh, profile, stop).folder)
        profile = inFolder(profile, "profile.pop");
    // Runs are told apart by their folders.
    const std::string folder = std::filesystem::path(above(profile).path).filename().string();
    const std::string name = (folder.empty() ? "profile" : folder) + ".capture";
    const RemoteResult result =
        runRemote(ssh, profile, "bash -c " + shellWord(commandsFor(request, profile, name)), stop,
                  {}, request.script);
    if (result.status != 0 || !isFolder(result.out))
        throw UserError(fmt::format("cannot capture '{}' on '{}': {}", profile.path, profile.host,
                                    printable(boundedMessage(result.err), Lines::Keep)));
    RemoteAddress made = profile;
    made.path = result.out;
    const RemoteAddress capture = inFolder(made, name);
    const RemoteCopy copy = copyRemote(ssh, capture, copies, progress, stop);
    runRemote(ssh, capture, fmt::format("rm -f {}; rmdir {}", shellPath(capture), shellPath(made)),
              stop);
    return copy.file;
}

} // namespace tilescope
