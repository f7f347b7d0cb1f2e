import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostAndPort, isHost } from './host.ts';

describe('isHost', () => {
  const hosts = [
    '127.0.0.1',
    '0.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    '::ffff:10.0.0.1',
    'localhost',
    'smsc-1.example.com',
    '3com.com',
  ];
  for (const host of hosts) it(`takes ${host}`, () => assert.equal(isHost(host), true));

  const others = [
    '',
    ' ',
    '256.1.1.1',
    '1.2.3',
    '1.2.3.4.',
    '1.2.3.4.5',
    '[::1]',
    ':::',
    '1::2::3',
    'a b',
    'a:1',
    '-a',
    'a-',
    'a..b',
    'a.b.',
    'http://a',
    'a/b',
    'a_b',
    'ö',
    `${'a'.repeat(64)}.com`,
  ];
  for (const other of others) it(`refuses ${JSON.stringify(other)}`, () => assert.equal(isHost(other), false));
});

it('writes an IPv6 address with its brackets', () => {
  assert.equal(hostAndPort('127.0.0.1', 80), '127.0.0.1:80');
  assert.equal(hostAndPort('::1', 80), '[::1]:80');
});
