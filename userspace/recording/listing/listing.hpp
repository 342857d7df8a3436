// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <map>
#include <string>
#include <unordered_map>

#include "calls/call_image.hpp"
#include "format/reader.hpp"

namespace recording {

/// One line for each call, in the order in which a replay issues them: name, objects, a checksum of the rest
/// of the inputs and of the outputs, the result. Objects are numbered by their making, and addresses, times
/// and numbers of descriptors are left out, so that two recordings of the same work give the same lines.
class Listing {
 public:
  using Print = std::function<void(const std::string& line)>;
  /// `details`: also time, thread and call number, which no two recordings share.
  Listing(bool details, Print print);

  /// Reads all of `reader`.
  void list(Reader& reader);

 private:
  /// Numbers given to the objects of one kind in one file.
  struct Names {
    uint32_t next = 1;
    std::unordered_map<uint32_t, uint32_t> of;
  };
  using FileNames = std::array<Names, id_kinds>;

  void call(const CallBegan& begin, const CallEnded* end);
  std::string objects(const CallBegan& begin, const CallEnded* end, const CallLayout& layout);
  uint32_t input_checksum(const CallBegan& begin, const CallLayout& layout);
  Names& names(uint32_t file, IdKind kind);

  bool details_;
  Print print_;
  std::map<uint32_t, FileNames> names_;
  uint64_t first_ns_ = 0;
};

}  // namespace recording
