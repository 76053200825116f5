#include "simulator/data/idx.h"

#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <zlib.h>

#include "core/base/error.h"

namespace tilescope::sim {
namespace {

namespace fs = std::filesystem;

struct Closer {
    void operator()(gzFile_s* file) const { gzclose(file); }
};

/// An element type by the third byte of the file; elements are big-endian.
struct ElementKind {
    std::uint8_t code;
    DataType type;
    std::size_t bytes;
};
constexpr std::array kinds{
    ElementKind{0x08, DataType::UInt8, 1}, ElementKind{0x09, DataType::Int8, 1},
    ElementKind{0x0B, DataType::Int32, 2}, ElementKind{0x0C, DataType::Int32, 4},
    ElementKind{0x0D, DataType::Float, 4}, ElementKind{0x0E, DataType::Float, 8},
};

class IdxReader {
public:
    explicit IdxReader(const fs::path& file)
        : file_(file)
        , stream_(gzopen(file.c_str(), "rb")) {
        std::error_code error;
        if (!fs::is_regular_file(file, error))
            fail("there is no such file");
        if (!stream_)
            fail("cannot be opened for reading");
    }

    TensorData read() {
        std::array<std::uint8_t, 4> magic{};
        take(magic.data(), magic.size());
        const ElementKind* kind = nullptr;
        for (const ElementKind& known : kinds)
            if (known.code == magic[2])
                kind = &known;
        if (magic[0] != 0 || magic[1] != 0 || kind == nullptr)
            fail("is not an IDX file, MNIST's format");
        Shape shape;
        // Far more than any set of images has.
        constexpr std::int64_t mostElements = std::int64_t{1} << 31;
        for (int d = 0; d < magic[3]; ++d) {
            std::array<std::uint8_t, 4> size{};
            take(size.data(), size.size());
            shape.push_back((std::int64_t{size[0]} << 24) | (size[1] << 16) | (size[2] << 8) |
                            size[3]);
        }
        if (shape.empty() || elementsOf(shape) > mostElements || elementsOf(shape) == 0)
            fail(fmt::format("has the impossible shape {}", toString(shape)));
        TensorData data = values(*kind, std::move(shape));
        checkEnd();
        return data;
    }

private:
    TensorData values(const ElementKind& kind, Shape shape) {
        // Read before allocating anything of the size that the header claims.
        const auto wanted = static_cast<std::size_t>(elementsOf(shape)) * kind.bytes;
        std::string bytes;
        while (bytes.size() < wanted) {
            constexpr std::size_t block = std::size_t{1} << 20;
            const std::size_t before = bytes.size();
            bytes.resize(std::min(wanted, before + block));
            take(bytes.data() + before, bytes.size() - before);
        }
        TensorData data(kind.type, std::move(shape));
        for (std::int64_t i = 0; i < data.elements(); ++i)
            data.setNumber(i,
                           number(kind, bytes.data() + static_cast<std::size_t>(i) * kind.bytes));
        return data;
    }

    /// Here zlib compares a gzipped file's check sum.
    void checkEnd() {
        char rest = 0;
        const int got = gzread(stream_.get(), &rest, 1);
        if (got < 0)
            fail("is truncated or damaged; copy it again");
        if (got > 0)
            fail("has more data than its header says; copy it again");
    }

    static double number(const ElementKind& kind, const char* bytes) {
        std::uint64_t bits = 0;
        for (std::size_t b = 0; b < kind.bytes; ++b)
            bits = bits << 8 | static_cast<std::uint8_t>(bytes[b]);
        if (kind.type == DataType::Float)
            return kind.bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                   : std::bit_cast<double>(bits);
        switch (kind.code) {
        case 0x09:
            return static_cast<std::int8_t>(bits);
        case 0x0B:
            return static_cast<std::int16_t>(bits);
        case 0x0C:
            return static_cast<std::int32_t>(bits);
        default:
            return static_cast<double>(bits);
        }
    }

    void take(void* into, std::size_t bytes) {
        const auto length = static_cast<unsigned>(bytes);
        if (gzread(stream_.get(), into, length) != static_cast<int>(length))
            fail("is truncated or damaged; copy it again");
    }

    [[noreturn]] void fail(const std::string& text) const {
        throw UserError(fmt::format("{}: {}", file_.string(), text));
    }

    const fs::path& file_;
    std::unique_ptr<gzFile_s, Closer> stream_;
};

} // namespace

TensorData readIdx(const fs::path& file) {
    return IdxReader(file).read();
}

} // namespace tilescope::sim
