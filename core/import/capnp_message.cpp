#include "core/import/capnp_message.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fstream>

#include "core/base/error.h"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "words are read as they are");

constexpr std::size_t bytesOfWord = 8;
constexpr std::uintmax_t largestFile = std::uintmax_t{2} << 30; // bytes, all of it in memory
constexpr std::uint64_t mostSegments = 512;                     // as Cap'n Proto's own readers
/// A message whose pointers lead to the same words more often than this is made to take forever.
constexpr std::size_t mostVisitsOfWord = 8;

// Kinds of pointers: the lowest two bits.
constexpr std::uint64_t structPointer = 0, listPointer = 1, farPointer = 2;
// Sizes of elements of a list.
constexpr std::uint64_t bytesList = 2, structsList = 7;

std::uint64_t bits(std::uint64_t word, int first, int count) {
    return word >> first & ((std::uint64_t{1} << count) - 1);
}

/// The signed distance of a pointer, in words.
std::int64_t distanceOf(std::uint64_t pointer) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(pointer)) >> 2;
}

/// Sizes of the segments, in words; none if this is not the beginning of a message of `fileBytes`.
std::vector<std::size_t> segmentSizes(std::ifstream& in, std::uintmax_t fileBytes) {
    const auto number = [&in] {
        std::uint32_t value = 0;
        in.read(reinterpret_cast<char*>(&value), sizeof(value));
        return in ? std::uint64_t{value} : std::uint64_t{0};
    };
    const std::uint64_t count = number() + 1;
    if (!in || count > mostSegments)
        return {};
    std::vector<std::size_t> sizes;
    std::uintmax_t bytes = (count / 2 + 1) * bytesOfWord;
    for (std::uint64_t i = 0; i < count; ++i) {
        sizes.push_back(number());
        bytes += sizes.back() * bytesOfWord;
    }
    if (count % 2 == 0)
        number(); // fills the word
    return in && bytes == fileBytes ? sizes : std::vector<std::size_t>();
}

} // namespace

std::uint16_t CapnpStruct::u16(std::size_t byte) const {
    return static_cast<std::uint16_t>(u64(byte / bytesOfWord * bytesOfWord) >>
                                      byte % bytesOfWord * 8);
}

std::uint32_t CapnpStruct::u32(std::size_t byte) const {
    return static_cast<std::uint32_t>(u64(byte / bytesOfWord * bytesOfWord) >>
                                      byte % bytesOfWord * 8);
}

std::uint64_t CapnpStruct::u64(std::size_t byte) const {
    const std::size_t at = byte / bytesOfWord;
    return at < dataWords_ ? message_->word(segment_, at_ + at) : 0;
}

std::string_view CapnpStruct::text(std::size_t pointer) const {
    return pointer < pointers_ ? message_->textAt(segment_, at_ + dataWords_ + pointer)
                               : std::string_view();
}

CapnpList CapnpStruct::list(std::size_t pointer) const {
    return pointer < pointers_ ? message_->listAt(segment_, at_ + dataWords_ + pointer)
                               : CapnpList();
}

CapnpStruct CapnpStruct::child(std::size_t pointer) const {
    return pointer < pointers_ ? message_->structAt(segment_, at_ + dataWords_ + pointer)
                               : CapnpStruct();
}

CapnpStruct CapnpList::operator[](std::size_t index) const {
    CapnpStruct element = first_;
    element.at_ += index * (first_.dataWords_ + first_.pointers_);
    return element;
}

CapnpMessage::CapnpMessage(fs::path file)
    : file_(std::move(file)) {
    readFrame();
    visitable_ = words_.size() * mostVisitsOfWord;
}

void CapnpMessage::readFrame() {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file_, error);
    std::ifstream in(file_, std::ios::binary);
    if (error || !in)
        throw UserError(fmt::format("cannot open '{}': it cannot be read", file_.string()));
    if (bytes > largestFile)
        throw UserError(fmt::format("'{}' is too large: {} bytes, of which at most {} can be read",
                                    file_.string(), bytes, largestFile));
    const std::vector<std::size_t> sizes = segmentSizes(in, bytes);
    if (sizes.empty())
        damaged("it is no message of Cap'n Proto, or is cut");
    std::size_t all = 0;
    for (const std::size_t size : sizes) {
        segments_.push_back({all, size});
        all += size;
    }
    words_.resize(all);
    in.read(reinterpret_cast<char*>(words_.data()),
            static_cast<std::streamsize>(all * bytesOfWord));
    if (!in)
        damaged("it cannot be read to its end");
}

void CapnpMessage::damaged(std::string_view what) const {
    throw UserError(
        fmt::format("'{}' is damaged: {}. Write the profile again", file_.string(), what));
}

void CapnpMessage::check(std::size_t segment, std::size_t at, std::size_t words) const {
    if (segment >= segments_.size() || at > segments_[segment].words ||
        words > segments_[segment].words - at)
        damaged("a pointer leads out of it");
    if (words > visitable_)
        damaged("its pointers lead to the same bytes too often");
    visitable_ -= words;
}

std::uint64_t CapnpMessage::word(std::size_t segment, std::size_t at) const {
    return words_[segments_[segment].begin + at];
}

CapnpStruct CapnpMessage::root() const {
    check(0, 0, 1);
    return structAt(0, 0);
}

CapnpMessage::Place CapnpMessage::placed(std::uint64_t pointer, std::size_t segment,
                                         std::size_t after) const {
    const std::int64_t at = static_cast<std::int64_t>(after) + distanceOf(pointer);
    if (at < 0)
        damaged("a pointer leads out of it");
    return {pointer, segment, static_cast<std::size_t>(at)};
}

CapnpMessage::Place CapnpMessage::follow(std::size_t segment, std::size_t at) const {
    const std::uint64_t pointer = word(segment, at);
    return bits(pointer, 0, 2) == farPointer ? followFar(pointer)
                                             : placed(pointer, segment, at + 1);
}

// A far pointer leads to one in another segment, or to two words: a far pointer to the content, and
// what is there.
CapnpMessage::Place CapnpMessage::followFar(std::uint64_t far) const {
    const bool isDouble = bits(far, 2, 1) != 0;
    const auto segment = static_cast<std::size_t>(bits(far, 32, 32));
    const auto at = static_cast<std::size_t>(bits(far, 3, 29));
    check(segment, at, isDouble ? 2 : 1);
    const std::uint64_t pad = word(segment, at);
    if (!isDouble) {
        if (bits(pad, 0, 2) == farPointer)
            damaged("a pointer leads to another of its kind");
        return placed(pad, segment, at + 1);
    }
    if (bits(pad, 0, 2) != farPointer)
        damaged("a pointer is not as it should be");
    return {word(segment, at + 1), static_cast<std::size_t>(bits(pad, 32, 32)),
            static_cast<std::size_t>(bits(pad, 3, 29))};
}

CapnpStruct CapnpMessage::structAt(std::size_t segment, std::size_t at) const {
    const Place place = follow(segment, at);
    if (place.word == 0)
        return {};
    if (bits(place.word, 0, 2) != structPointer)
        damaged("a struct is missing");
    CapnpStruct made;
    made.message_ = this;
    made.segment_ = place.segment;
    made.at_ = place.at;
    made.dataWords_ = static_cast<std::size_t>(bits(place.word, 32, 16));
    made.pointers_ = static_cast<std::size_t>(bits(place.word, 48, 16));
    check(made.segment_, made.at_, made.dataWords_ + made.pointers_);
    return made;
}

CapnpList CapnpMessage::listAt(std::size_t segment, std::size_t at) const {
    const Place place = follow(segment, at);
    if (place.word == 0)
        return {};
    if (bits(place.word, 0, 2) != listPointer || bits(place.word, 32, 3) != structsList)
        damaged("a list of structs is missing");
    const auto words = static_cast<std::size_t>(bits(place.word, 35, 29));
    check(place.segment, place.at, words + 1);
    const std::uint64_t tag = word(place.segment, place.at);
    CapnpList list;
    list.first_.message_ = this;
    list.first_.segment_ = place.segment;
    list.first_.at_ = place.at + 1;
    list.first_.dataWords_ = static_cast<std::size_t>(bits(tag, 32, 16));
    list.first_.pointers_ = static_cast<std::size_t>(bits(tag, 48, 16));
    list.size_ = static_cast<std::size_t>(bits(tag, 2, 30));
    const std::size_t size = list.first_.dataWords_ + list.first_.pointers_;
    // Elements without content would cost nothing, and could be a thousand million.
    if (bits(tag, 0, 2) != structPointer || (size == 0 && list.size_ > 0) ||
        list.size_ * size > words)
        damaged("a list has more elements than there are");
    return list;
}

std::string_view CapnpMessage::textAt(std::size_t segment, std::size_t at) const {
    const Place place = follow(segment, at);
    if (place.word == 0)
        return {};
    if (bits(place.word, 0, 2) != listPointer || bits(place.word, 32, 3) != bytesList)
        damaged("a text is missing");
    const auto bytes = static_cast<std::size_t>(bits(place.word, 35, 29));
    check(place.segment, place.at, (bytes + bytesOfWord - 1) / bytesOfWord);
    if (bytes == 0)
        return {};
    const auto* text =
        reinterpret_cast<const char*>(words_.data() + segments_[place.segment].begin + place.at);
    return {text, bytes - 1}; // without the zero at its end
}

std::optional<CapnpRoot> capnpRoot(const fs::path& file) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    std::ifstream in(file, std::ios::binary);
    if (error || !in || segmentSizes(in, bytes).empty())
        return std::nullopt;
    std::uint64_t pointer = 0;
    in.read(reinterpret_cast<char*>(&pointer), sizeof(pointer));
    if (!in || bits(pointer, 0, 2) != structPointer || distanceOf(pointer) < 0)
        return std::nullopt;
    CapnpRoot root{static_cast<std::size_t>(bits(pointer, 32, 16)),
                   static_cast<std::size_t>(bits(pointer, 48, 16)),
                   {}};
    in.seekg(distanceOf(pointer) * static_cast<std::int64_t>(bytesOfWord), std::ios::cur);
    const std::size_t words = std::min(root.dataWords, root.data.size());
    in.read(reinterpret_cast<char*>(root.data.data()),
            static_cast<std::streamsize>(words * bytesOfWord));
    return in ? std::optional(root) : std::nullopt;
}

} // namespace tilescope
