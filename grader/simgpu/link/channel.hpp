/// @file
/// Texts over a socket, each whole, and descriptors with them: the grader's channel, and how pages are handed over.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simgpu::link {

/// The ends of a pair of connected sockets. Neither survives an exec.
struct Sockets {
  int ours = -1, theirs = -1;
};
std::optional<Sockets> connected_sockets();

/// @param descriptors that the other side gets as well, at most 8
/// @return false: the other side is gone.
bool send_text(int socket, std::string_view text, std::span<const int> descriptors = {});
/// Waits for one. @param descriptors those that came with it; its own from here on
/// @return nothing: the other side is gone.
std::optional<std::string> receive_text(int socket, std::vector<int>* descriptors = nullptr);

}  // namespace simgpu::link
