// SPDX-License-Identifier: MIT
#pragma once

#include "jobs/session.hpp"

namespace harness {

/// Keeps the VM of a session in an address space of the GPU: between enter() and leave() a job of it waits on
/// a synchronisation object.
class ResidentVm {
 public:
  explicit ResidentVm(Session& session);

  /// Returns when the job is on the GPU. It must leave() within the driver's job timeout (5 s).
  void enter();
  void leave();

 private:
  Session& session_;
  GpuBuffer memory_;
  panthor::Group group_;
  panthor::CommandStream wait_;
  panthor::CommandStream release_;
  panthor::Syncobj waited_;
  panthor::Syncobj released_;
};

}  // namespace harness
