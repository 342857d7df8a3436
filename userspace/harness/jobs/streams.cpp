// SPDX-License-Identifier: MIT
#include "jobs/streams.hpp"

namespace harness::streams {

using panthor::CommandStreamBuilder;
namespace isa = panthor::isa;

void publish(CommandStreamBuilder& cs) {
  cs.wait();
  cs.clean_caches(scratch);
}

void store(CommandStreamBuilder& cs, uint64_t va, uint32_t value) {
  cs.move(data, value);
  store(cs, va, data);
}

void store(CommandStreamBuilder& cs, uint64_t va, panthor::Reg value) {
  cs.move(address, va);
  cs.store(value, 1, address);
  cs.wait();
}

void signal(CommandStreamBuilder& cs, uint64_t va, isa::Scope scope) {
  cs.move(address, va);
  cs.move(data, 1);
  cs.sync_add32(address, data, scope);
}

void wait_greater(CommandStreamBuilder& cs, uint64_t va, uint32_t value) {
  cs.move(address, va);
  cs.move(data, value);
  cs.sync_wait32(isa::Condition::greater, address, data);
}

void spin(CommandStreamBuilder& cs, uint32_t times) {
  cs.end_loop(cs.begin_loop(counter, times));
}

}  // namespace harness::streams
