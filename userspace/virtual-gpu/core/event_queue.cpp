// SPDX-License-Identifier: MIT
#include "core/event_queue.hpp"

namespace vgpu {

EventQueue::Id EventQueue::at(uint64_t when_ns, Action action) {
  const Id id = next_id_++;
  pending_.emplace(Key{when_ns, id}, std::move(action));
  due_at_.emplace(id, when_ns);
  return id;
}

void EventQueue::cancel(Id id) noexcept {
  const auto it = due_at_.find(id);
  if (it == due_at_.end()) return;
  pending_.erase(Key{it->second, id});
  due_at_.erase(it);
}

std::optional<uint64_t> EventQueue::next_deadline_ns() const noexcept {
  if (pending_.empty()) return std::nullopt;
  return pending_.begin()->first.first;
}

size_t EventQueue::run_due(size_t limit) {
  size_t ran = 0;
  while (ran < limit && !pending_.empty() && pending_.begin()->first.first <= clock_.now_ns()) {
    auto node = pending_.extract(pending_.begin());
    due_at_.erase(node.key().second);
    node.mapped()();
    ++ran;
  }
  return ran;
}

}  // namespace vgpu
