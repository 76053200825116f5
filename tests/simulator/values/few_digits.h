// A quarter of the digits in tests/data/mnist, for tests that train.
#pragma once

#include <QTemporaryDir>
#include <filesystem>
#include <string>

namespace tilescope::test {

/// The folder of MNIST's files whose training and test images are the 2,000 test images.
inline const std::string& fewDigits() {
    namespace fs = std::filesystem;
    static const QTemporaryDir folder;
    static const std::string path = [] {
        const fs::path to = folder.path().toStdString();
        for (const char* file : {"images-idx3-ubyte.gz", "labels-idx1-ubyte.gz"})
            for (const char* set : {"train-", "t10k-"})
                fs::copy_file(fs::path(TILESCOPE_DIGITS) / (std::string("t10k-") + file),
                              to / (std::string(set) + file));
        return to.string();
    }();
    return path;
}

} // namespace tilescope::test
