// SPDX-License-Identifier: MIT
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "format/reader.hpp"
#include "format/writer.hpp"

namespace recording::test {

/// A recording in memory, written by the real Writer.
class TestRecording {
 public:
  explicit TestRecording(const Info& info = {{"driver", "panthor"}}) {
    common::UniqueFd file(::memfd_create("recording", MFD_CLOEXEC));
    fd_ = common::UniqueFd(::dup(file.get()));
    writer_ = std::make_unique<Writer>(std::move(file), info);
  }

  void add(const Event& event) { writer_->append(event); }
  Writer& writer() { return *writer_; }
  /// For a recorder that takes the writer over.
  std::unique_ptr<Writer> release() { return std::move(writer_); }

  /// What is in the file now, flushed first where the writer is still here.
  Bytes bytes() {
    if (writer_) writer_->flush();
    Bytes all(static_cast<size_t>(::lseek(fd_.get(), 0, SEEK_END)));
    const ssize_t got = ::pread(fd_.get(), all.data(), all.size(), 0);
    all.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return all;
  }

 private:
  common::UniqueFd fd_;
  std::unique_ptr<Writer> writer_;
};

inline std::vector<Event> read_all(Reader& reader) {
  std::vector<Event> events;
  while (auto event = reader.next()) events.push_back(std::move(*event));
  return events;
}

template <typename T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

}  // namespace recording::test
