/// @file
/// See channel.hpp. A text has its length before it; descriptors come with the length.
#include "simgpu/link/channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace simgpu::link {
namespace {

constexpr std::size_t kMostDescriptors = 8;
constexpr std::uint32_t kMostText = 1u << 30;

bool send_all(int socket, const char* from, std::size_t bytes) {
  while (bytes != 0) {
    const ssize_t sent = ::send(socket, from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* to, std::size_t bytes) {
  while (bytes != 0) {
    const ssize_t got = ::recv(socket, to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

std::optional<Sockets> connected_sockets() {
  int both[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) != 0) return std::nullopt;
  return Sockets{both[0], both[1]};
}

bool send_text(int socket, std::string_view text, std::span<const int> descriptors) {
  auto length = static_cast<std::uint32_t>(text.size());
  if (text.size() > kMostText || descriptors.size() > kMostDescriptors) return false;
  // Both in one call: who is woken by the length alone would sleep again, for the text.
  iovec parts[] = {{.iov_base = &length, .iov_len = sizeof length},
                   {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = std::size(parts);
  alignas(cmsghdr) char extra[CMSG_SPACE(kMostDescriptors * sizeof(int))]{};
  if (!descriptors.empty()) {
    message.msg_control = extra;
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent <= 0) return false;
  const auto begun = static_cast<std::size_t>(sent);
  const auto of_length = std::min(begun, sizeof length);
  return send_all(socket, reinterpret_cast<const char*>(&length) + of_length, sizeof length - of_length) &&
         send_all(socket, text.data() + (begun - of_length), text.size() - (begun - of_length));
}

std::optional<std::string> receive_text(int socket, std::vector<int>* descriptors) {
  std::uint32_t length = 0;
  iovec part{.iov_base = &length, .iov_len = sizeof length};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char extra[CMSG_SPACE(kMostDescriptors * sizeof(int))]{};
  message.msg_control = extra;
  message.msg_controllen = sizeof extra;
  ssize_t got = 0;
  do got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    std::vector<int> came((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(came.data(), CMSG_DATA(head), came.size() * sizeof(int));
    for (const int each : came) {
      if (descriptors != nullptr)
        descriptors->push_back(each);
      else
        ::close(each);
    }
  }
  const auto begun = static_cast<std::size_t>(got);
  if (!receive_all(socket, reinterpret_cast<char*>(&length) + begun, sizeof length - begun))
    return std::nullopt;
  if (length > kMostText) return std::nullopt;
  std::string text(length, '\0');
  if (!receive_all(socket, text.data(), text.size())) return std::nullopt;
  return text;
}

}  // namespace simgpu::link
