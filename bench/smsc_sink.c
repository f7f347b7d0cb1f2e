/* smsc_sink: an SMPP 3.4 SMSC for benchmarks, which uses little CPU.
 *
 * It accepts any bind, answers each submit_sm at once with a message id (a decimal counter), and sends a receipt over the same
 * session if registered_delivery asks for one. First it prints its port, then one line of counts a second, and one at its end.
 * submits are submit_sm, and acks are answers to receipts with status 0. After SIGUSR1 the counts begin at zero again.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef struct { int fd; uint8_t *in; size_t in_len, in_cap; uint8_t *out; size_t out_len, out_off, out_cap; uint32_t seq; int want_out; int rx; } Conn;
static int ep;
static uint64_t submits, acks, next_id = 1;
static double first_at, last_at;
static volatile sig_atomic_t stop, anew;
static void on_term(int s) { (void)s; stop = 1; }
static void on_usr1(int s) { (void)s; anew = 1; }
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static void put32(uint8_t *p, uint32_t v) { p[0] = v >> 24; p[1] = v >> 16; p[2] = v >> 8; p[3] = v; }
static uint32_t get32(const uint8_t *p) { return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }
static uint8_t *grow(Conn *c, size_t n) {
  if (c->out_off && c->out_off == c->out_len) c->out_off = c->out_len = 0;
  if (c->out_len + n > c->out_cap) { c->out_cap = (c->out_len + n) * 2 + 65536; c->out = realloc(c->out, c->out_cap); }
  uint8_t *p = c->out + c->out_len; c->out_len += n; return p;
}
static void send_pdu(Conn *c, uint32_t cmd, uint32_t status, uint32_t seq, const void *body, size_t n) {
  uint8_t *p = grow(c, 16 + n); put32(p, 16 + n); put32(p + 4, cmd); put32(p + 8, status); put32(p + 12, seq);
  if (n) memcpy(p + 16, body, n);
}
static const uint8_t *skip_cstr(const uint8_t *p, const uint8_t *e) { while (p < e && *p) p++; return p < e ? p + 1 : e; }
static void receipt(Conn *c, const char *id, const char *src, const char *dst) {
  uint8_t b[512]; size_t n = 0; char text[200]; static char d[16]; static time_t dated; time_t t = time(0);
  if (t != dated) { struct tm tm; gmtime_r(&t, &tm); strftime(d, sizeof d, "%y%m%d%H%M", &tm); dated = t; }
  int tl = snprintf(text, sizeof text, "id:%s sub:001 dlvrd:001 submit date:%s done date:%s stat:DELIVRD err:000 text:", id, d, d);
  b[n++] = 0; b[n++] = 1; b[n++] = 1; n += sprintf((char *)b + n, "%s", dst) + 1; b[n++] = 1; b[n++] = 1; n += sprintf((char *)b + n, "%s", src) + 1;
  b[n++] = 0x04; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = tl; memcpy(b + n, text, tl); n += tl;
  size_t l = strlen(id) + 1; b[n++] = 0; b[n++] = 0x1e; b[n++] = 0; b[n++] = l; memcpy(b + n, id, l); n += l;
  b[n++] = 0x04; b[n++] = 0x27; b[n++] = 0; b[n++] = 1; b[n++] = 2;
  send_pdu(c, 5, 0, ++c->seq, b, n);
}

static void handle(Conn *c, const uint8_t *p, uint32_t len) {
  uint32_t cmd = get32(p + 4), seq = get32(p + 12);
  const uint8_t *b = p + 16, *e = p + len;
  switch (cmd) {
    case 1: case 2: case 9: c->rx = cmd != 2; send_pdu(c, cmd | 0x80000000u, 0, seq, "sink", 5); break;
    case 0x15: send_pdu(c, 0x80000015u, 0, seq, 0, 0); break;
    case 6: send_pdu(c, 0x80000006u, 0, seq, 0, 0); break;
    case 4: {
      char id[32], src[32] = "", dst[32] = ""; int n = snprintf(id, sizeof id, "%llu", (unsigned long long)next_id++) + 1;
      const uint8_t *q = skip_cstr(b, e); q += 2; snprintf(src, sizeof src, "%s", (const char *)q); q = skip_cstr(q, e); q += 2;
      snprintf(dst, sizeof dst, "%s", (const char *)q); q = skip_cstr(q, e); q += 3; q = skip_cstr(q, e); q = skip_cstr(q, e);
      int rd = q < e ? *q : 0; submits++; last_at = now(); if (!first_at) first_at = last_at;
      send_pdu(c, 0x80000004u, 0, seq, id, n);
      if ((rd & 1) && c->rx) receipt(c, id, src, dst);
      break; }
    case 0x80000005u: if (!get32(p + 8)) acks++; last_at = now(); break;
    default: if (!(cmd & 0x80000000u)) send_pdu(c, 0x80000000u, 3, seq, 0, 0);
  }
}
static void flush(Conn *c) {
  while (c->out_off < c->out_len) {
    ssize_t w = write(c->fd, c->out + c->out_off, c->out_len - c->out_off);
    if (w <= 0) break;
    c->out_off += w;
  }
  int want = c->out_off < c->out_len;
  if (want != c->want_out) { struct epoll_event ev = { .events = EPOLLIN | (want ? EPOLLOUT : 0), .data.ptr = c }; epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &ev); c->want_out = want; }
}
static void print_counts(void) { printf("submits=%llu acks=%llu seconds=%.2f\n", (unsigned long long)submits, (unsigned long long)acks, last_at - first_at); fflush(stdout); }
int main(int argc, char **argv) {
  if (argc > 1) next_id = strtoull(argv[1], 0, 10);
  signal(SIGPIPE, SIG_IGN); signal(SIGTERM, on_term); signal(SIGINT, on_term); signal(SIGUSR1, on_usr1);
  int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1; setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  if (bind(s, (void *)&a, sizeof a) || listen(s, 128)) { perror("listen"); return 1; }
  socklen_t al = sizeof a; getsockname(s, (void *)&a, &al); printf("port=%d\n", ntohs(a.sin_port)); fflush(stdout);
  ep = epoll_create1(0); struct epoll_event ev = { .events = EPOLLIN, .data.ptr = 0 }; epoll_ctl(ep, EPOLL_CTL_ADD, s, &ev);
  double last = now();
  for (;;) {
    struct epoll_event evs[64]; int n = epoll_wait(ep, evs, 64, 200);
    for (int i = 0; i < n; i++) {
      Conn *c = evs[i].data.ptr;
      if (!c) { int fd = accept4(s, 0, 0, SOCK_NONBLOCK); if (fd < 0) continue; setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        c = calloc(1, sizeof *c); c->fd = fd; struct epoll_event e2 = { .events = EPOLLIN, .data.ptr = c }; epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e2); continue; }
      int dead = 0;
      if (evs[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) for (;;) {
        if (c->in_cap - c->in_len < 65536) { c->in_cap = c->in_cap * 2 + 131072; c->in = realloc(c->in, c->in_cap); }
        ssize_t r = read(c->fd, c->in + c->in_len, c->in_cap - c->in_len);
        if (r == 0 || (r < 0 && errno != EAGAIN)) { dead = 1; break; }
        if (r < 0) break;
        c->in_len += r; size_t off = 0;
        while (c->in_len - off >= 16) { uint32_t l = get32(c->in + off); if (l < 16 || l > 65536) { dead = 1; break; } if (c->in_len - off < l) break; handle(c, c->in + off, l); off += l; }
        memmove(c->in, c->in + off, c->in_len - off); c->in_len -= off; if (dead) break;
      }
      if (dead) { close(c->fd); free(c->in); free(c->out); free(c); continue; }
      flush(c);
    }
    double t = now();
    if (anew) { anew = 0; submits = acks = 0; first_at = last_at = 0; }
    if (t - last >= 1) { print_counts(); last = t; }
    if (stop) { print_counts(); return 0; }
  }
}
