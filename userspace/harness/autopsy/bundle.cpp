// SPDX-License-Identifier: MIT
#include "autopsy/bundle.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "autopsy/report.hpp"

namespace harness::autopsy {
namespace {

constexpr size_t block = 512;
constexpr std::string_view directory = "panthor-autopsy/";

/// A header of ustar: fixed fields of text, numbers in octal.
struct Header {
  char name[100];
  char mode[8];
  char uid[8];
  char gid[8];
  char size[12];
  char mtime[12];
  char checksum[8];
  char type;
  char link[100];
  char magic[6];
  char version[2];
  char user[32];
  char group[32];
  char device[16];
  char prefix[155];
  char padding[12];
};
static_assert(sizeof(Header) == block);

template <size_t size>
void put(char (&field)[size], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), size));
}

Header header_of(const BundleFile& file) {
  Header header{};
  const std::string name = std::string(directory) + file.name;
  if (file.name.empty() || name.size() >= sizeof(header.name))
    throw std::invalid_argument(fmt::format("\"{}\": no name for a file of the bundle", file.name));
  put(header.name, name);
  put(header.mode, "0000644");
  put(header.uid, "0000000");
  put(header.gid, "0000000");
  put(header.size, fmt::format("{:011o}", file.text.size()));
  put(header.mtime, fmt::format("{:011o}", 0));
  put(header.checksum, "        ");
  header.type = '0';
  put(header.magic, "ustar");
  put(header.version, "00");
  unsigned sum = 0;
  for (size_t i = 0; i < block; ++i) sum += reinterpret_cast<const unsigned char*>(&header)[i];
  put(header.checksum, fmt::format("{:06o}", sum));
  header.checksum[6] = '\0';
  return header;
}

std::string without_host(std::string text, const std::string& host) {
  if (host.size() < 2 || host == "localhost") return text;
  for (size_t at = 0; (at = text.find(host, at)) != std::string::npos; at += 4)
    text.replace(at, host.size(), "HOST");
  return text;
}

/// "hang dump" -> "sources/hang-dump.txt".
std::string file_name(std::string name) {
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.'; }, '-');
  return fmt::format("sources/{}.txt", name.substr(0, 60));
}

}  // namespace

std::vector<BundleFile> bundle_files(const Facts& facts, const Diagnosis& diagnosis,
                                     const std::string& host) {
  std::vector<BundleFile> files = {{"README.txt", std::string(bundle_contents)},
                                   {"report.txt", human_report(facts, diagnosis)},
                                   {"report.json", json_report(facts, diagnosis)}};
  for (const Source& source : facts.sources)
    if (!source.text.empty()) files.push_back({file_name(source.name), source.text});
  for (BundleFile& file : files) file.text = without_host(std::move(file.text), host);
  return files;
}

std::string tar(std::span<const BundleFile> files) {
  std::string archive;
  for (const BundleFile& file : files) {
    const Header header = header_of(file);
    archive.append(reinterpret_cast<const char*>(&header), sizeof(header));
    archive += file.text;
    archive.append((block - file.text.size() % block) % block, '\0');
  }
  archive.append(2 * block, '\0');
  return archive;
}

void write_bundle(const std::string& path, std::span<const BundleFile> files) {
  const std::string temporary = path + ".part";
  const std::string archive = tar(files);
  const auto failed = [&](int error) {
    (void)std::remove(temporary.c_str());
    throw std::system_error(error != 0 ? error : EIO, std::generic_category(), "bundle " + path);
  };
  errno = 0;
  gzFile out = gzopen(temporary.c_str(), "wb");
  if (out == nullptr) failed(errno);
  const bool written =
      gzwrite(out, archive.data(), static_cast<unsigned>(archive.size())) == static_cast<int>(archive.size());
  const int error = errno;
  if (gzclose(out) != Z_OK || !written) failed(error);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) failed(errno);
}

}  // namespace harness::autopsy
