#include "simulator/data/array_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <onnx/onnx_pb.h>
#include <optional>
#include <stdexcept>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "simulator/data/zip_archive.h"
#include "simulator/frontend/onnx_types/constant.h"
#include "simulator/frontend/onnx_types/weight_values.h"

namespace tilescope::sim {
namespace {

namespace fs = std::filesystem;

/// Larger files are taken for a mistake.
constexpr std::uint64_t mostBytes = std::uint64_t{1} << 32;

/// NumPy's element types (numpy.lib.format, "descr") and ours. Their contents are as in ONNX, whose
/// reader takes little-endian bytes.
struct Descriptor {
    std::string_view text;
    onnx::TensorProto::DataType onnx;
    std::size_t bytes;
};
constexpr std::array descriptors{
    Descriptor{"<f4", onnx::TensorProto::FLOAT, 4},
    Descriptor{"<f8", onnx::TensorProto::DOUBLE, 8},
    Descriptor{"<f2", onnx::TensorProto::FLOAT16, 2},
    Descriptor{"<i4", onnx::TensorProto::INT32, 4},
    Descriptor{"<i8", onnx::TensorProto::INT64, 8},
    Descriptor{"<i2", onnx::TensorProto::INT16, 2},
    Descriptor{"|i1", onnx::TensorProto::INT8, 1},
    Descriptor{"|u1", onnx::TensorProto::UINT8, 1},
    Descriptor{"|b1", onnx::TensorProto::BOOL, 1},
    Descriptor{"<u2", onnx::TensorProto::UINT16, 2},
    Descriptor{"<u4", onnx::TensorProto::UINT32, 4},
    Descriptor{"<u8", onnx::TensorProto::UINT64, 8},
};

[[noreturn]] void fail(const std::string& origin, const std::string& text) {
    throw UserError(fmt::format("{}: {}", origin, text));
}

/// The text after "'key':" in NumPy's header, a Python dictionary.
std::string_view entryOf(std::string_view header, std::string_view key, const std::string& origin) {
    const std::size_t at = header.find(fmt::format("'{}':", key));
    if (at == std::string_view::npos)
        fail(origin, fmt::format("its header has no entry '{}'; save it again", key));
    std::string_view rest = header.substr(at + key.size() + 3);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest;
}

Shape shapeFrom(std::string_view text, const std::string& origin) {
    const std::size_t close = text.find(')');
    if (!text.starts_with('(') || close == std::string_view::npos)
        fail(origin, "its header has no shape; save it again");
    Shape shape;
    const char* at = text.data() + 1;
    const char* end = text.data() + close;
    while (at < end) {
        std::int64_t size = 0;
        const auto [next, error] = std::from_chars(at, end, size);
        if (error != std::errc() || size < 0)
            fail(origin, "its header has no shape; save it again");
        shape.push_back(size);
        at = next;
        while (at < end && (*at == ',' || *at == ' ' || *at == 'L'))
            ++at;
    }
    return shape;
}

/// The array with its dimensions in reverse order.
TensorData transposed(const TensorData& data) {
    Shape shape(data.shape().rbegin(), data.shape().rend());
    TensorData result(data.type(), shape);
    Shape position(shape.size(), 0);
    for (std::int64_t i = 0; i < result.elements(); ++i) {
        std::int64_t from = 0;
        for (std::size_t d = position.size(); d-- > 0;)
            from = from * shape[d] + position[d];
        result.setNumber(i, data.number(from));
        for (std::size_t d = position.size(); d-- > 0;) {
            if (++position[d] < shape[d])
                break;
            position[d] = 0;
        }
    }
    return result;
}

/// The device has no whole numbers of more than 32 bits.
void checkWholeNumbers(const onnx::TensorProto& proto, const std::string& origin) {
    const bool isUnsigned = proto.data_type() == onnx::TensorProto::UINT64;
    if (!isUnsigned && proto.data_type() != onnx::TensorProto::INT64)
        return;
    const std::int64_t least = isUnsigned ? 0 : std::numeric_limits<std::int32_t>::min();
    const std::int64_t most = isUnsigned ? std::int64_t{std::numeric_limits<std::uint32_t>::max()}
                                         : std::numeric_limits<std::int32_t>::max();
    for (const std::int64_t number : constantFrom(proto).ints)
        if (number < least || number > most)
            fail(origin, fmt::format("holds {}, which does not fit the 32 bits of the device's "
                                     "whole numbers",
                                     number));
}

/// An .npy file's bytes (numpy.lib.format, versions 1 to 3).
TensorData fromNpy(const std::string& bytes, const std::string& origin) {
    constexpr std::string_view magic = "\x93NUMPY";
    constexpr std::size_t shortHead = 10;
    constexpr std::size_t longHead = 12;
    if (bytes.size() < longHead || !bytes.starts_with(magic))
        fail(origin, "is not an .npy file; save one with numpy.save");
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
    const bool isShort = byte(6) == 1;
    const std::size_t head = isShort ? shortHead : longHead;
    const std::size_t length = isShort ? byte(8) | byte(9) << 8
                                       : byte(8) | byte(9) << 8 | byte(10) << 16 |
                                             static_cast<std::size_t>(byte(11)) << 24;
    if (length > bytes.size() - head)
        fail(origin, "is truncated; copy it again");
    const std::string_view header = std::string_view(bytes).substr(head, length);
    const std::string_view text = entryOf(header, "descr", origin);
    const auto kind = std::find_if(descriptors.begin(), descriptors.end(), [&](const auto& known) {
        return text.substr(std::min<std::size_t>(1, text.size())).starts_with(known.text);
    });
    if (kind == descriptors.end())
        fail(origin, "an IPU does not have its element type; save numbers of NumPy's types "
                     "float16, float32, float64, int8 to int64, uint8 to uint64 or bool");
    Shape shape = shapeFrom(entryOf(header, "shape", origin), origin);
    const std::string data = bytes.substr(head + length);
    if (static_cast<double>(elementsOf(shape)) * static_cast<double>(kind->bytes) !=
        static_cast<double>(data.size()))
        fail(origin, fmt::format("has {} bytes of data where shape {} needs {}; copy it again",
                                 data.size(), toString(shape),
                                 static_cast<double>(elementsOf(shape)) *
                                     static_cast<double>(kind->bytes)));
    const bool reversed = entryOf(header, "fortran_order", origin).starts_with("True");
    if (reversed)
        std::reverse(shape.begin(), shape.end());
    onnx::TensorProto proto;
    proto.set_data_type(kind->onnx);
    for (const std::int64_t size : shape)
        proto.add_dims(size);
    proto.set_raw_data(data);
    checkWholeNumbers(proto, origin);
    const TensorData values = readTensor(proto, {});
    return reversed ? transposed(values) : values;
}

std::string bytesOf(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        fail(file.string(), "there is no such file");
    if (fs::file_size(file, error) > mostBytes || error)
        fail(file.string(), "is too large to be read at once");
    return readFile(file);
}

std::vector<NamedArray> fromNpz(const fs::path& file) {
    const std::optional<ZipArchive> archive = ZipArchive::open(file);
    if (!archive)
        fail(file.string(), "is not an .npz file; save one with numpy.savez");
    std::vector<NamedArray> arrays;
    for (std::int64_t i = 0; i < archive->entries(); ++i) {
        const std::optional<ZipArchive::Entry> entry = archive->entry(i);
        if (!entry || entry->bytes > mostBytes)
            fail(file.string(), "is damaged; copy it again");
        std::string name = entry->name;
        const std::string origin = file.string() + ": " + name;
        if (name.ends_with(".npy"))
            name.resize(name.size() - 4);
        const std::optional<std::string> bytes = archive->contents(i, mostBytes);
        if (!bytes)
            fail(origin, "is damaged; copy the file again");
        if (bytes->size() > mostBytes)
            fail(origin, "is too large to be read at once");
        arrays.push_back({std::move(name), fromNpy(*bytes, origin)});
    }
    return arrays;
}

NamedArray fromProto(const fs::path& file) {
    onnx::TensorProto proto;
    if (!proto.ParseFromString(bytesOf(file)))
        fail(file.string(), "is not an ONNX tensor; save it again");
    try {
        if (!proto.has_data_location() || proto.data_location() == onnx::TensorProto::DEFAULT)
            checkWholeNumbers(proto, file.string());
        return {proto.name().empty() ? file.stem().string() : proto.name(),
                readTensor(proto, file.parent_path())};
    } catch (const std::invalid_argument& error) {
        fail(file.string(), error.what());
    }
}

/// Compares numbers in names by value.
bool comesBefore(const std::string& a, const std::string& b) {
    const auto split = [](const std::string& text) {
        const std::size_t digits = text.find_last_not_of("0123456789") + 1;
        return std::pair(text.substr(0, digits), text.size() - digits);
    };
    const auto [stemA, digitsA] = split(a);
    const auto [stemB, digitsB] = split(b);
    if (stemA != stemB || digitsA == digitsB)
        return a < b;
    return digitsA < digitsB;
}

bool isArrayFile(const fs::path& file) {
    return file.extension() == ".npy" || file.extension() == ".npz" || file.extension() == ".pb";
}

} // namespace

std::vector<NamedArray> readArrays(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(path))
            if (entry.is_regular_file(error) && isArrayFile(entry.path()))
                files.push_back(entry.path());
        std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
            return comesBefore(a.stem().string(), b.stem().string());
        });
        if (files.empty())
            fail(path.string(), "has no .npy, .npz or .pb files");
        std::vector<NamedArray> arrays;
        for (const fs::path& file : files)
            for (NamedArray& array : readArrays(file))
                arrays.push_back(std::move(array));
        return arrays;
    }
    if (path.extension() == ".npz")
        return fromNpz(path);
    if (path.extension() == ".pb")
        return {fromProto(path)};
    return {{path.stem().string(), fromNpy(bytesOf(path), path.string())}};
}

std::map<std::size_t, NamedArray> readTestData(const fs::path& folder, std::string_view kind) {
    std::map<std::size_t, NamedArray> arrays;
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return arrays;
    const std::string prefix = fmt::format("{}_", kind);
    for (const auto& entry : fs::directory_iterator(folder)) {
        const fs::path& file = entry.path();
        const std::string stem = file.stem().string();
        if (file.extension() != ".pb" || !stem.starts_with(prefix))
            continue;
        std::size_t position = 0;
        const char* const end = stem.data() + stem.size();
        const auto [last, bad] = std::from_chars(stem.data() + prefix.size(), end, position);
        if (bad == std::errc() && last == end && entry.is_regular_file(error))
            arrays.insert_or_assign(position, fromProto(file));
    }
    return arrays;
}

void writeNpy(const fs::path& file, const TensorData& data) {
    const auto descriptorOf = [&]() -> std::pair<std::string_view, std::size_t> {
        switch (data.type()) {
        case DataType::Float:
        case DataType::Half:
            return {"<f4", 4};
        case DataType::Int32:
            return {"<i4", 4};
        case DataType::UInt32:
            return {"<u4", 4};
        case DataType::Int8:
            return {"|i1", 1};
        case DataType::UInt8:
            return {"|u1", 1};
        case DataType::Bool:
            return {"|b1", 1};
        }
        throw InternalError("an element type without a NumPy name");
    };
    const auto [descriptor, bytes] = descriptorOf();
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descriptor,
                    fmt::join(data.shape(), ", "), data.shape().size() == 1 ? "," : "");
    // Data begin at a multiple of 64.
    constexpr std::size_t head = 10;
    constexpr std::size_t alignment = 64;
    header.append((alignment - (head + header.size() + 1) % alignment) % alignment, ' ');
    header += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size() & 0xFF);
    text += static_cast<char>(header.size() >> 8);
    text += header;
    const auto elements = static_cast<std::size_t>(data.elements());
    if (data.isReal())
        text.append(reinterpret_cast<const char*>(data.reals().data()), elements * 4);
    else
        for (const std::int32_t value : data.ints())
            text.append(reinterpret_cast<const char*>(&value), bytes);
    writeFileAtomically(file, text);
}

} // namespace tilescope::sim
