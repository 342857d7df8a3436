// SPDX-License-Identifier: MIT
#include "firmware/image.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string_view>

namespace vgpu::fw {
namespace {

/// Builds images word by word.
class ImageBuilder {
 public:
  ImageBuilder() { words({0xc3f1'3a6e, 0x0000'0002, 0x1234, 0, 0}); }

  ImageBuilder& words(std::initializer_list<uint32_t> values) {
    for (const uint32_t value : values) {
      const auto at = bytes_.size();
      bytes_.resize(at + 4);
      std::memcpy(bytes_.data() + at, &value, 4);
    }
    return *this;
  }
  ImageBuilder& section(uint32_t flags, uint32_t va, uint32_t va_end, uint32_t data = 0,
                        uint32_t data_end = 0) {
    return words({24 << 8, flags, va, va_end, data, data_end});
  }
  ImageBuilder& shared() {
    return section(section_flag::read | section_flag::write | section_flag::shared | section_flag::zero,
                   0x400'0000, 0x401'0000);
  }
  std::vector<std::byte> build() {
    const auto size = static_cast<uint32_t>(bytes_.size());
    std::memcpy(bytes_.data() + 16, &size, 4);
    return bytes_;
  }
  Image parse() { return Image::parse(build()); }

 private:
  std::vector<std::byte> bytes_;
};

std::string error_of(ImageBuilder& builder) {
  try {
    (void)builder.parse();
  } catch (const ImageError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(FirmwareImage, ListsItsSections) {
  ImageBuilder b;
  b.section(section_flag::read | section_flag::execute | section_flag::cached, 0, 0x3000, 20, 40).shared();
  const Image image = b.parse();
  ASSERT_EQ(image.sections.size(), 2u);
  EXPECT_EQ(image.version_minor, 2);
  EXPECT_EQ(image.version_hash, 0x1234u);
  EXPECT_TRUE(image.sections[0].has(section_flag::execute));
  EXPECT_EQ(image.sections[0].data_end, 40u);
  EXPECT_EQ(image.shared_section(), &image.sections[1]);
}

TEST(FirmwareImage, ReadsTheGitSha) {
  ImageBuilder b;
  b.shared();
  const uint32_t text = 20 + 24 + 12;
  b.words({12 << 8 | 6, text, 16});
  const std::string_view sha("git_sha: 95a25d\0", 16);
  for (size_t i = 0; i < sha.size(); i += 4) {
    uint32_t word;
    std::memcpy(&word, sha.data() + i, 4);
    b.words({word});
  }
  // The text is data behind the entries: the header's size ends before it.
  auto bytes = b.build();
  const uint32_t size = text;
  std::memcpy(bytes.data() + 16, &size, 4);
  EXPECT_EQ(Image::parse(bytes).git_sha, "95a25d");
}

TEST(FirmwareImage, RefusesEachKindOfDamageInOneLine) {
  const auto refuse = [](ImageBuilder&& b, std::string_view part) {
    const std::string e = error_of(b);
    EXPECT_NE(e.find(part), std::string::npos) << e;
    EXPECT_EQ(e.find('\n'), std::string::npos);
  };
  const auto rw = section_flag::read | section_flag::write;
  refuse(ImageBuilder(), "no shared");
  refuse(std::move(ImageBuilder().shared().words({0})), "bad size");
  refuse(std::move(ImageBuilder().shared().words({24 << 8})), "ends inside");
  refuse(std::move(ImageBuilder().shared().words({4 << 8 | 9})), "unknown type");
  refuse(std::move(ImageBuilder().shared().section(rw, 0x1001, 0x2000)), "virtual range");
  refuse(std::move(ImageBuilder().shared().section(rw, 0x2000, 0x1000)), "virtual range");
  refuse(std::move(ImageBuilder().shared().section(rw, 0x1000, 0x2000, 8, 4)), "outside the file");
  refuse(std::move(ImageBuilder().shared().section(rw, 0x1000, 0x2000, 0, 1u << 20)), "outside the file");
  refuse(std::move(ImageBuilder().shared().section(rw, 0x1000, 0x1000, 0, 8)), "do not fit");
  refuse(std::move(ImageBuilder().shared().section(rw | 1u << 12, 0x1000, 0x2000)), "unknown flags");
  refuse(std::move(ImageBuilder().section(rw, 0x400'0000, 0x401'0000)), "must be shared");
}

TEST(FirmwareImage, OptionalAndUninterestingEntriesAreSkipped) {
  ImageBuilder b;
  b.shared().words({4 << 8 | 9 | 1u << 31, 4 << 8 | 1, 8 << 8 | 3, 0});
  EXPECT_EQ(b.parse().skipped_entries, 3u);
}

TEST(FirmwareImage, EveryTruncationIsRefused) {
  ImageBuilder b;
  b.section(section_flag::read, 0, 0x1000).shared();
  const auto bytes = b.build();
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW((void)Image::parse(std::span(bytes).first(n)), ImageError) << n;
}

TEST(FirmwareImage, AMissingFileIsNamed) {
  try {
    (void)Image::load("/nonexistent/mali_csffw.bin");
    FAIL();
  } catch (const ImageError& e) {
    EXPECT_NE(std::string(e.what()).find("/nonexistent/mali_csffw.bin"), std::string::npos);
  }
}

}  // namespace
}  // namespace vgpu::fw
