import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readPlainAnswer } from './plain-answer.ts';

const read = (...lines: readonly string[]) => readPlainAnswer(Buffer.from(lines.join('\r\n'), 'latin1'));

it('an answer is plain if it is whole, has a known length and keeps the connection', () => {
  const rows: readonly (readonly [text: readonly string[], status: number])[] = [
    [['HTTP/1.1 200 OK', 'Content-Length: 0', '', ''], 200],
    [['HTTP/1.1 500 ', 'Server: x', 'content-length:2', 'Connection: Keep-Alive', '', 'no'], 500],
    [['HTTP/1.1 204 No Content', 'Date: Thu, 01 Jan 2026 00:10:00 GMT', '', ''], 204],
    [['HTTP/1.1 204 No Content', '', ''], 204],
  ];
  for (const [lines, status] of rows) {
    const answer = { kind: 'answered', status, retryAfter: undefined };
    assert.deepEqual(read(...lines), { answer, keepAlive: undefined }, lines.join('|'));
  }
  const slow = read('HTTP/1.1 429 Slow', 'Retry-After: 120', 'Keep-Alive: timeout=5', 'Content-Length: 0', '', '');
  assert.deepEqual(slow, { answer: { kind: 'answered', status: 429, retryAfter: '120' }, keepAlive: 'timeout=5' });
});

it('any other answer is left to the parser of Node', () => {
  const rows: readonly (readonly string[])[] = [
    ['HTTP/1.1 200 OK', 'Content-Length: 2', '', 'x'],
    ['HTTP/1.1 200 OK', 'Content-Length: 0', ''],
    ['HTTP/1.1 200 OK', '', ''],
    ['HTTP/1.1 200 OK', 'Content-Length: 0', 'Content-Length: 0', '', ''],
    ['HTTP/1.1 200 OK', 'Content-Length: 0', 'Transfer-Encoding: chunked', '', ''],
    ['HTTP/1.1 200 OK', 'Content-Length: 0', 'Connection: close', '', ''],
    ['HTTP/1.1 200 OK', 'Content-Length: 0', 'Connection: keep-alive', 'Connection: close', '', ''],
    ['HTTP/1.1 200 OK', 'Content-Length: 0', ' folded', '', ''],
    ['HTTP/1.1 200 OK', 'Content-Length: 0\n', '', ''],
    ['HTTP/1.1 200 OK', 'Content-Length: 0', 'X-Umlaut: \u00fc', '', ''],
    ['HTTP/1.0 200 OK', 'Content-Length: 0', '', ''],
    ['HTTP/1.1 100 Continue', '', ''],
    ['HTTP/1.1 204 No Content', 'Content-Length: 2', '', 'no'],
    ['HTTP/1.1 999 Odd', 'Content-Length: 0', '', ''],
    ['220 mail.example.com ESMTP ready', ''],
  ];
  for (const lines of rows) assert.equal(read(...lines), undefined, lines.join('|'));
});
