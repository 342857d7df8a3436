// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace vgpu::transport {

/// The other end broke its protocol: what() says how. The connection cannot be used any more.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vgpu::transport
