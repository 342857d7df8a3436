// SPDX-License-Identifier: MIT
#include "bench/workload.hpp"

namespace harness {

std::vector<BenchRow> bench_rows(std::string_view pattern) {
  std::vector<BenchRow> rows;
  for (const auto family : {query_rows, buffer_rows, bind_rows, submit_rows, address_space_rows})
    for (const BenchRow& row : family())
      if (row.name.find(pattern) != std::string_view::npos) rows.push_back(row);
  return rows;
}

}  // namespace harness
