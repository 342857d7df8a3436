// SPDX-License-Identifier: MIT
#include "firmware/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "firmware/layout.hpp"

namespace vgpu::fw {
namespace {

constexpr uint32_t magic = 0xc3f1'3a6e;
constexpr uint32_t page_size = 4096;
constexpr uint32_t header_size = 20;
constexpr uint32_t max_file_size = 64u << 20;  // bytes; the real images are below 1 MiB
constexpr std::string_view sha_label = "git_sha: ";

enum EntryType : uint8_t {
  interface = 0,
  config = 1,
  futf_test = 2,
  trace_buffer = 3,
  timeline = 4,
  build_info = 6
};
constexpr uint32_t entry_optional = 1u << 31;

/// A bounds-checked little-endian reader over a slice of the file.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint32_t u32(std::string_view what) {
    uint32_t value = 0;
    const auto raw = take(sizeof(value), what);
    std::memcpy(&value, raw.data(), sizeof(value));
    return value;
  }
  std::span<const std::byte> take(size_t size, std::string_view what) {
    if (size > bytes_.size() - offset_)
      throw ImageError(fmt::format("firmware image ends inside the {} at offset {:#x}", what, offset_));
    const auto part = bytes_.subspan(offset_, size);
    offset_ += size;
    return part;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return bytes_.subspan(offset_); }
  [[nodiscard]] size_t offset() const noexcept { return offset_; }

 private:
  std::span<const std::byte> bytes_;
  size_t offset_ = 0;
};

std::string printable(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    const auto c = static_cast<unsigned char>(byte);
    if (c == 0) break;
    text += std::isprint(c) ? static_cast<char>(c) : '?';
  }
  return text;
}

void parse_section(Image& image, Reader entry, size_t file_size) {
  Section s;
  s.flags = entry.u32("section header");
  s.va_start = entry.u32("section header");
  s.va_end = entry.u32("section header");
  s.data_start = entry.u32("section header");
  s.data_end = entry.u32("section header");
  s.name = printable(entry.rest());

  if (s.data_end < s.data_start || s.data_end > file_size)
    throw ImageError(
        fmt::format("firmware section at {:#x}: data range {:#x}-{:#x} is outside the file of {:#x} bytes",
                    s.va_start, s.data_start, s.data_end, file_size));
  if (s.va_end < s.va_start || s.va_start % page_size || s.va_end % page_size)
    throw ImageError(fmt::format("firmware section: bad virtual range {:#x}-{:#x}", s.va_start, s.va_end));
  if (s.flags & ~section_flag::known)
    throw ImageError(fmt::format("firmware section at {:#x}: unknown flags {:#x}", s.va_start, s.flags));
  if (s.has(section_flag::protected_mode)) {  // the driver ignores those
    ++image.skipped_entries;
    return;
  }
  if (s.va_start == shared_base && !s.has(section_flag::shared))
    throw ImageError(fmt::format("firmware section at {:#x} must be shared", s.va_start));
  if (s.data_end - s.data_start > s.va_end - s.va_start)
    throw ImageError(fmt::format("firmware section at {:#x}: {:#x} bytes of data do not fit", s.va_start,
                                 s.data_end - s.data_start));
  if (s.va_start != s.va_end) image.sections.push_back(std::move(s));
}

void parse_build_info(Image& image, Reader entry, std::span<const std::byte> file) {
  const uint32_t start = entry.u32("build info"), size = entry.u32("build info");
  if (start > file.size() || size > file.size() - start || size <= sha_label.size())
    return;  // the driver goes on too
  const auto text = file.subspan(start, size);
  if (std::memcmp(text.data(), sha_label.data(), sha_label.size()) != 0 || text.back() != std::byte{0})
    return;
  image.git_sha = printable(text.subspan(sha_label.size()));
}

}  // namespace

Image Image::parse(std::span<const std::byte> file) {
  Reader header(file.first(std::min<size_t>(file.size(), header_size)));
  if (header.u32("header") != magic) throw ImageError("not a CSF firmware image: wrong magic");
  const uint32_t version = header.u32("header");
  Image image;
  image.version_minor = static_cast<uint8_t>(version);
  image.version_major = static_cast<uint8_t>(version >> 8);
  image.version_hash = header.u32("header");
  (void)header.u32("header");
  image.size = header.u32("header");
  if (image.version_major != 0)
    throw ImageError(fmt::format("firmware image format {}.{} is not supported", image.version_major,
                                 image.version_minor));
  if (image.size > file.size())
    throw ImageError(fmt::format("firmware image is truncated: {} of {} bytes", file.size(), image.size));

  Reader entries(file.first(image.size));
  (void)entries.take(std::min(header_size, image.size), "header");
  while (!entries.rest().empty()) {
    const size_t at = entries.offset();
    const uint32_t word = entries.u32("entry header");
    const uint32_t size = word >> 8 & 0xff;
    if (at % 4 || size % 4 || size < sizeof(word))
      throw ImageError(fmt::format("firmware entry at {:#x} has a bad size of {} bytes", at, size));
    const Reader entry(entries.take(size - sizeof(word), "entry"));
    switch (word & 0xff) {
      case interface:
        parse_section(image, entry, file.size());
        break;
      case build_info:
        parse_build_info(image, entry, file);
        break;
      case config:
      case futf_test:
      case trace_buffer:
      case timeline:
        ++image.skipped_entries;
        break;
      default:
        if (!(word & entry_optional))
          throw ImageError(fmt::format("firmware entry at {:#x} has an unknown type {}", at, word & 0xff));
        ++image.skipped_entries;
    }
  }
  if (!image.shared_section()) throw ImageError("firmware image has no shared interface section");
  return image;
}

Image Image::load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) throw ImageError(fmt::format("{}: cannot open the firmware image", path.string()));
  const auto size = static_cast<std::streamoff>(in.tellg());
  if (size < 0 || size > max_file_size)
    throw ImageError(fmt::format("{}: not a firmware image (size)", path.string()));
  std::vector<std::byte> bytes(static_cast<size_t>(size));
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), size))
    throw ImageError(fmt::format("{}: cannot read the firmware image", path.string()));
  try {
    return parse(bytes);
  } catch (const ImageError& e) {
    throw ImageError(fmt::format("{}: {}", path.string(), e.what()));
  }
}

const Section* Image::shared_section() const noexcept {
  const auto it = std::find_if(sections.begin(), sections.end(),
                               [](const Section& s) { return s.va_start == shared_base; });
  return it == sections.end() ? nullptr : &*it;
}

}  // namespace vgpu::fw
