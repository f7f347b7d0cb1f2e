import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hostAndPort, isHost } from './host.ts';

it('a host is an IP address or a name', () => {
  for (const host of ['127.0.0.1', '::1', '::ffff:10.0.0.1', 'localhost', 'smsc-1.example.com', '3com.com'])
    assert.equal(isHost(host), true, host);
  const others = [
    '',
    ' ',
    '256.1.1.1',
    '1.2.3',
    '[::1]',
    '1::2::3',
    'a b',
    'a:1',
    '-a',
    'a-',
    'a..b',
    'a.b.',
    'a/b',
    'ö',
  ];
  for (const other of [...others, `${'a'.repeat(64)}.com`]) assert.equal(isHost(other), false, other);
});

it('writes an IPv6 address with its brackets', () => {
  assert.equal(hostAndPort('127.0.0.1', 80), '127.0.0.1:80');
  assert.equal(hostAndPort('::1', 80), '[::1]:80');
});
