/* smsc_sink: an SMPP 3.4 SMSC for benchmarks, which uses little CPU.
 *
 *   cc -O2 -o smsc_sink smsc_sink.c && ./smsc_sink [-p 2775] [-d] [-f rate] [-o] [-t seconds]
 *
 * It accepts any bind, and answers each submit_sm at once with a message id (a decimal counter, written in decimal or
 * hexadecimal). First it prints its port, then one line of counts a second. submits are submit_sm and receipts are
 * deliver_sm. acks are answers to receipts with status 0, and refusals are answers with another status.
 * After SIGUSR1 the counts begin at zero again.
 *
 *   -p PORT  the port; 0 means any free port
 *   -d       sends a receipt after each answered submit_sm that has registered_delivery&1, over the same session
 *   -f RATE  holds the receipts back until SIGUSR2. Then sends each receipt together with a receipt for an unknown id,
 *            RATE a second in all, over the first session that takes receipts. Does not wait for answers. Sends a
 *            receipt that was refused with ESME_RX_T_APPN again, at least a second later and within RATE. Sends an
 *            enquire_link five times a second on every session, and counts the longest wait for an answer.
 *   -o       checks the texts, each a word and a number: for each receiver and word the numbers must be 1, 2, 3...
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

typedef struct { int fd; uint8_t *in; size_t in_len, in_cap; uint8_t *out; size_t out_len, out_off, out_cap; uint32_t seq; int want_out; int rx; struct Enquiries *enquiries; } Conn;
static int ep, want_dlr = 0, port = 2775, limit = 0;
static uint64_t submits, receipts, acks, refusals, binds, other, next_id = 1;
static double first_at, last_at;
static volatile sig_atomic_t stop, anew, flood_now;
static void on_term(int s) { (void)s; stop = 1; }
static void on_usr1(int s) { (void)s; anew = 1; }
static void on_usr2(int s) { (void)s; flood_now = 1; }
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
static void receipt(Conn *c, uint32_t seq, const char *id, const char *src, const char *dst) {
  uint8_t b[512]; size_t n = 0; char text[200]; static char d[16]; static time_t dated; time_t t = time(0);
  if (t != dated) { struct tm tm; gmtime_r(&t, &tm); strftime(d, sizeof d, "%y%m%d%H%M", &tm); dated = t; }
  int tl = snprintf(text, sizeof text, "id:%s sub:001 dlvrd:001 submit date:%s done date:%s stat:DELIVRD err:000 text:", id, d, d);
  b[n++] = 0; b[n++] = 1; b[n++] = 1; n += sprintf((char *)b + n, "%s", dst) + 1; b[n++] = 1; b[n++] = 1; n += sprintf((char *)b + n, "%s", src) + 1;
  b[n++] = 0x04; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = 0; b[n++] = tl; memcpy(b + n, text, tl); n += tl;
  size_t l = strlen(id) + 1; b[n++] = 0; b[n++] = 0x1e; b[n++] = 0; b[n++] = l; memcpy(b + n, id, l); n += l;
  b[n++] = 0x04; b[n++] = 0x27; b[n++] = 0; b[n++] = 1; b[n++] = 2;
  send_pdu(c, 5, 0, seq, b, n); receipts++;
}

/* -o */
typedef struct { char key[48]; uint64_t last; } Stream;
#define STREAMS 65536
static Stream streams[STREAMS];
static uint64_t stream_count, misordered;
static int want_order;
/* From registered_delivery on: replace_if_present_flag, data_coding, sm_default_msg_id, sm_length, short_message. */
static void check_order(const char *dst, const uint8_t *p, const uint8_t *e) {
  char text[32] = "", word[16] = "", key[48]; unsigned long long number = 0;
  if (p + 5 <= e && p[4] < sizeof text && p + 5 + p[4] <= e) memcpy(text, p + 5, p[4]);
  if (sscanf(text, "%15s %llu", word, &number) != 2) { misordered++; return; }
  snprintf(key, sizeof key, "%s %s", dst, word);
  uint32_t at = 2166136261u;
  for (const char *k = key; *k; k++) at = (at ^ (uint8_t)*k) * 16777619u;
  for (at %= STREAMS; *streams[at].key && strcmp(streams[at].key, key); at = (at + 1) % STREAMS);
  Stream *s = &streams[at];
  if (!*s->key) { strcpy(s->key, key); if (++stream_count == STREAMS) abort(); }
  if (number != s->last + 1) misordered++;
  if (number > s->last) s->last = number;
}

/* -f: item 2k is the receipt of message k + 1, item 2k + 1 one for an id that was never given out. */
#define RX_T_APPN 0x64
#define OUT_MAX 65536
#define AGAIN_AFTER 1.0
#define ENQUIRE_EVERY 0.2
#define UNKNOWN_IDS 900000000000ull
#define CONNS 64
enum { UNSENT, SENT, ACKNOWLEDGED, REFUSED };
typedef struct Enquiries { double asked_at[4096], longest; uint32_t asked, answered; } Enquiries;
static struct { char src[22], dst[22]; } *kept;
static struct { uint32_t item; double at; } *again;
static Conn *conns[CONNS], *flood_conn;
static uint8_t *item_states;
static uint64_t kept_len, kept_cap, items, items_sent, again_first, again_len, repeats, strays, acknowledged;
static int flood_rate, flooding;
static double flood_at, paced_at, sent_at, done_at, enquired_at;
static void keep_back(const char *src, const char *dst) {
  if (kept_len == kept_cap) { kept_cap = kept_cap * 2 + 65536; kept = realloc(kept, kept_cap * sizeof *kept); }
  snprintf(kept[kept_len].src, sizeof kept->src, "%s", src); snprintf(kept[kept_len].dst, sizeof kept->dst, "%s", dst); kept_len++;
}
static void flood_begin(double t) {
  for (int i = 0; i < CONNS; i++) {
    if (!conns[i]) continue;
    conns[i]->enquiries = calloc(1, sizeof(Enquiries));
    if (!flood_conn && conns[i]->rx) flood_conn = conns[i];
  }
  items = 2 * kept_len; item_states = calloc(items, 1); again = calloc(items, sizeof *again);
  flooding = 1; flood_at = paced_at = t;
}
static void flood_send(uint32_t item) {
  char id[32], dst[22]; uint32_t k = item / 2;
  if (item % 2 == 0) { snprintf(id, sizeof id, "%u", k + 1); snprintf(dst, sizeof dst, "%s", kept[k].dst); }
  else { snprintf(id, sizeof id, "%llu", UNKNOWN_IDS + k); snprintf(dst, sizeof dst, "4178%07u", k); }
  receipt(flood_conn, item + 1, id, kept[k].src, dst);
  item_states[item] = SENT;
}
static int flood_has_room(void) { return flood_conn && flood_conn->out_len - flood_conn->out_off < OUT_MAX; }
static void flood_go_on(double t) {
  double due = (t - paced_at) * flood_rate;
  while (flood_has_room() && items_sent + repeats < due) {
    if (items_sent < items) { flood_send(items_sent++); sent_at = t; }
    else if (again_len && again[again_first].at <= t) {
      flood_send(again[again_first].item); again_first = (again_first + 1) % items; again_len--; repeats++;
    } else { paced_at = t - (items_sent + repeats) / (double)flood_rate; break; }
  }
  if (t - enquired_at < ENQUIRE_EVERY || done_at) return;
  enquired_at = t;
  for (int i = 0; i < CONNS; i++) {
    Enquiries *e = conns[i] ? conns[i]->enquiries : 0;
    if (!e || e->asked - e->answered == 4096) continue;
    e->asked_at[e->asked++ % 4096] = t;
    send_pdu(conns[i], 0x15, 0, 0x40000000u + e->asked, 0, 0);
  }
}
static void flood_answered(uint32_t seq, uint32_t status) {
  uint32_t item = seq - 1;
  if (item >= items || item_states[item] != SENT) { strays++; return; }
  if (status == 0) { item_states[item] = ACKNOWLEDGED; if (++acknowledged == items) done_at = now(); return; }
  item_states[item] = REFUSED;
  if (status != RX_T_APPN) { strays++; return; }
  uint64_t at = (again_first + again_len++) % items;
  again[at].item = item; again[at].at = now() + AGAIN_AFTER;
}
static void enquiry_answered(Enquiries *e) {
  if (e->answered == e->asked) { strays++; return; }
  double wait = now() - e->asked_at[e->answered++ % 4096];
  if (wait > e->longest) e->longest = wait;
}
/* Milliseconds, the one that still waits included. */
static double longest_wait(int of_flood) {
  double longest = 0;
  for (int i = 0; i < CONNS; i++) {
    Enquiries *e = conns[i] ? conns[i]->enquiries : 0;
    if (!e || (conns[i] == flood_conn) != of_flood) continue;
    double wait = e->answered < e->asked ? now() - e->asked_at[e->answered % 4096] : 0;
    if (wait > longest) longest = wait;
    if (e->longest > longest) longest = e->longest;
  }
  return longest * 1000;
}
static uint64_t enquiries_answered(void) { uint64_t n = 0; for (int i = 0; i < CONNS; i++) if (conns[i] && conns[i]->enquiries) n += conns[i]->enquiries->answered; return n; }
static void print_extras(double t) {
  if (want_order) printf(" streams=%llu misordered=%llu", (unsigned long long)stream_count, (unsigned long long)misordered);
  if (flooding) printf(" items=%llu sent=%llu acknowledged=%llu repeats=%llu strays=%llu enquiries=%llu wait_ms=%.0f other_wait_ms=%.0f send_seconds=%.2f flood_seconds=%.2f",
    (unsigned long long)items, (unsigned long long)items_sent, (unsigned long long)acknowledged, (unsigned long long)repeats, (unsigned long long)strays,
    (unsigned long long)enquiries_answered(), longest_wait(1), longest_wait(0), sent_at - flood_at, (done_at ? done_at : t) - flood_at);
}
static void joined(Conn *c) { for (int i = 0; i < CONNS; i++) if (!conns[i]) { conns[i] = c; return; } }
static void left(Conn *c) {
  for (int i = 0; i < CONNS; i++) if (conns[i] == c) conns[i] = 0;
  if (flood_conn == c) flood_conn = 0;
  free(c->enquiries);
}

static void handle(Conn *c, const uint8_t *p, uint32_t len) {
  uint32_t cmd = get32(p + 4), seq = get32(p + 12);
  const uint8_t *b = p + 16, *e = p + len;
  switch (cmd) {
    case 1: case 2: case 9: binds++; c->rx = cmd != 2; send_pdu(c, cmd | 0x80000000u, 0, seq, "sink", 5); break;
    case 0x15: send_pdu(c, 0x80000015u, 0, seq, 0, 0); break;
    case 6: send_pdu(c, 0x80000006u, 0, seq, 0, 0); break;
    case 4: {
      char id[32], src[32] = "", dst[32] = ""; int n = snprintf(id, sizeof id, "%llu", (unsigned long long)next_id++) + 1;
      const uint8_t *q = skip_cstr(b, e); q += 2; snprintf(src, sizeof src, "%s", (const char *)q); q = skip_cstr(q, e); q += 2;
      snprintf(dst, sizeof dst, "%s", (const char *)q); q = skip_cstr(q, e); q += 3; q = skip_cstr(q, e); q = skip_cstr(q, e);
      int rd = q < e ? *q : 0; submits++; last_at = now(); if (!first_at) first_at = last_at;
      send_pdu(c, 0x80000004u, 0, seq, id, n);
      if (want_order) check_order(dst, q, e);
      if (flood_rate) keep_back(src, dst);
      else if (want_dlr && (rd & 1) && c->rx) receipt(c, ++c->seq, id, src, dst);
      break; }
    case 0x80000005u: if (get32(p + 8)) refusals++; else acks++; last_at = now(); if (flooding) flood_answered(seq, get32(p + 8)); break;
    case 0x80000015u: if (c->enquiries) enquiry_answered(c->enquiries); break;
    default: other++; if (!(cmd & 0x80000000u)) send_pdu(c, 0x80000000u, 3, seq, 0, 0);
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
int main(int argc, char **argv) {
  for (int o; (o = getopt(argc, argv, "p:dt:f:o")) != -1;) { if (o == 'p') port = atoi(optarg); else if (o == 'd') want_dlr = 1; else if (o == 'f') flood_rate = atoi(optarg); else if (o == 'o') want_order = 1; else if (o == 't') limit = atoi(optarg); }
  signal(SIGPIPE, SIG_IGN); signal(SIGTERM, on_term); signal(SIGINT, on_term); signal(SIGUSR1, on_usr1); signal(SIGUSR2, on_usr2);
  int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1; setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  if (bind(s, (void *)&a, sizeof a) || listen(s, 128)) { perror("listen"); return 1; }
  socklen_t al = sizeof a; getsockname(s, (void *)&a, &al); printf("port=%d\n", ntohs(a.sin_port)); fflush(stdout);
  ep = epoll_create1(0); struct epoll_event ev = { .events = EPOLLIN, .data.ptr = 0 }; epoll_ctl(ep, EPOLL_CTL_ADD, s, &ev);
  double start = now(), last = start; uint64_t ls = 0, lr = 0;
  for (;;) {
    struct epoll_event evs[64]; int n = epoll_wait(ep, evs, 64, flooding ? 2 : 200);
    for (int i = 0; i < n; i++) {
      Conn *c = evs[i].data.ptr;
      if (!c) { int fd = accept4(s, 0, 0, SOCK_NONBLOCK); if (fd < 0) continue; setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        c = calloc(1, sizeof *c); c->fd = fd; joined(c); struct epoll_event e2 = { .events = EPOLLIN, .data.ptr = c }; epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e2); continue; }
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
      if (dead) { left(c); close(c->fd); free(c->in); free(c->out); free(c); continue; }
      flush(c);
    }
    double t = now();
    if (flood_now && !flooding) flood_begin(t);
    if (flooding) { flood_go_on(t); for (int i = 0; i < CONNS; i++) if (conns[i] && !conns[i]->want_out) flush(conns[i]); }
    if (anew) { anew = 0; submits = receipts = acks = refusals = ls = lr = 0; first_at = last_at = 0; }
    if (t - last >= 1) { printf("t=%.0f binds=%llu submits=%llu (+%.0f/s) receipts=%llu (+%.0f/s) acks=%llu refusals=%llu other=%llu seconds=%.2f", t - start, (unsigned long long)binds, (unsigned long long)submits, (submits - ls) / (t - last), (unsigned long long)receipts, (receipts - lr) / (t - last), (unsigned long long)acks, (unsigned long long)refusals, (unsigned long long)other, last_at - first_at); print_extras(t); puts(""); fflush(stdout); ls = submits; lr = receipts; last = t; }
    if (stop || (limit && t - start > limit)) {
      uint64_t done = want_dlr ? acks : submits; double span = last_at - first_at;
      printf("summary submits=%llu receipts=%llu acks=%llu refusals=%llu seconds=%.2f rate=%.0f", (unsigned long long)submits, (unsigned long long)receipts, (unsigned long long)acks, (unsigned long long)refusals, span, span > 0 ? done / span : 0);
      print_extras(t); puts("");
      return 0;
    }
  }
}
