// The products of a Vision Transformer as a C600 ran them: SigLIP's image tower of 27 layers, batch
// 1, in half precision. Longest tile of a compute set, without exchange and sync.
#include <QtTest>

#include <algorithm>
#include <filesystem>

#include "core/options/job.h"
#include "simulator/simulate.h"
#include "tests/support/test_main.h"

namespace vision_transformer_test {
using namespace tilescope;
using namespace tilescope::sim;

namespace {

// osmarks/ipu-stack, docs/SDK_ONNX_PROFILE_ANALYSIS.md@3b2cc3f, which reads a profile of PopRT.
constexpr double publishedScores = 8'488; // Q x K': 16 x 729 x 72 x 729
constexpr double publishedQkv = 37'277;   // 729 x 1152 x 3456
constexpr double tolerance = 1.15;

const Profile& profile() {
    static const Profile made = [] {
        const std::filesystem::path jobs = TILESCOPE_SOURCE_DIR "/resources/jobs";
        const Job job = readJob(jobs / "vit_so400m.json");
        RunOptions options;
        setRunOptions(options, job.options);
        return simulateModel(job.model, options);
    }();
    return made;
}

/// Cycles of the longest tile in the longest compute set that multiplies for such operations.
double longestTile(const std::string& operation) {
    std::int64_t most = 0;
    for (const ComputeSet& set : profile().computeSets)
        if (set.name.find(operation) != std::string::npos &&
            set.name.find("/Convolve") != std::string::npos)
            most = std::max(most, set.cycles.max().value);
    return static_cast<double>(most);
}

void compare(double simulated, double published) {
    const double ratio = simulated / published;
    QVERIFY2(ratio < tolerance && ratio > 1 / tolerance, qPrintable(QString::number(ratio)));
}

} // namespace

class VisionTransformerTest : public QObject {
    Q_OBJECT

private slots:
    void itFits() { QVERIFY2(profile().info.fits, outOfMemoryText(profile()).c_str()); }
    void scores() { compare(longestTile("/Z/QK"), publishedScores); }
    void queriesKeysAndValues() { compare(longestTile("/QKV"), publishedQkv); }
};

TILESCOPE_TEST(VisionTransformerTest, QCoreApplication)

} // namespace vision_transformer_test

#include "vision_transformer_test.moc"
