// SPDX-License-Identifier: MIT
#pragma once

/// All of libpanthor: RAII objects over the panthor uAPI and a command-stream builder for CSF GPUs of
/// arch 10.

#include "panthor/buffer_object.hpp"
#include "panthor/command_stream_builder.hpp"
#include "panthor/device.hpp"
#include "panthor/flush_id_page.hpp"
#include "panthor/group.hpp"
#include "panthor/syncobj.hpp"
#include "panthor/tiler_heap.hpp"
#include "panthor/va_allocator.hpp"
#include "panthor/virtual_memory.hpp"
