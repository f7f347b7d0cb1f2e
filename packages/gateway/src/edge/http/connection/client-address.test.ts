import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parseRange } from '@morsel/api/values/address-range.ts';
import { clientAddress } from './client-address.ts';

const proxies = ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32'].flatMap((text) => parseRange(text) ?? []);

function addressOf(peer: string, forwarded: string | undefined, trusted = proxies): string {
  return clientAddress({ headers: { 'x-forwarded-for': forwarded } }, peer, trusted);
}

describe('the address of a client', () => {
  const rows: readonly (readonly [string, string, string | undefined, string])[] = [
    ['no proxy before us', '198.51.100.7', undefined, '198.51.100.7'],
    ['one proxy', '127.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['one proxy, and a client that sent forged addresses', '127.0.0.1', '10.1.1.1, 192.0.2.99, 192.0.2.1', '192.0.2.1'],
    ['two proxies, and a client that sent a forged address', '127.0.0.1', '10.9.9.9,192.0.2.1,10.0.0.5', '192.0.2.1'],
    ['a client among the proxies', '127.0.0.1', '10.0.0.9, 10.0.0.5', '10.0.0.9'],
    ['a proxy that sends no X-Forwarded-For', '127.0.0.1', undefined, '127.0.0.1'],
    ['a proxy over IPv6', '2001:db8::5', '2001:db9::1', '2001:db9::1'],
    ['a port after the IPv4 address', '127.0.0.1', '192.0.2.1:4711', '192.0.2.1'],
    ['a port after the IPv6 address', '127.0.0.1', '[2001:db9::1]:4711', '2001:db9::1'],
    ['IPv4 mapped into IPv6', '::ffff:10.0.0.1', '::ffff:192.0.2.1', '::ffff:192.0.2.1'],
    ['an empty list', '127.0.0.1', '', '127.0.0.1'],
    ['a word for the client', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['an empty entry in the place of the client', '127.0.0.1', '192.0.2.1, ', '127.0.0.1'],
    ['a word before the client', '127.0.0.1', 'unknown, 192.0.2.1', '192.0.2.1'],
    ['a word before a proxy', '127.0.0.1', '192.0.2.1, _hidden, 10.0.0.5', '127.0.0.1'],
    ['more proxies than the limit', '127.0.0.1', Array.from({ length: 40 }, () => '10.0.0.1').join(), '127.0.0.1'],
  ];
  for (const [what, peer, forwarded, expected] of rows) {
    it(`is ${expected} with ${what}`, () => assert.equal(addressOf(peer, forwarded), expected));
  }

  it('is the connection’s address, whatever the header says, if no proxy is trusted', () => {
    assert.equal(addressOf('127.0.0.1', '192.0.2.1', []), '127.0.0.1');
  });

  it('cannot be chosen by a client: addresses before the proxy’s own entry change nothing', () => {
    const lie = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('', '127.0.0.1', '10.0.0.1', ','));
    fc.assert(
      fc.property(fc.array(lie, { maxLength: 50 }), fc.ipV4(), (lies, client) => {
        const seen = addressOf('127.0.0.1', [...lies, client].join(', '));
        if (!client.startsWith('10.') && client !== '127.0.0.1') assert.equal(seen, client);
        assert.equal(
          addressOf(client === '127.0.0.1' || client.startsWith('10.') ? '192.0.2.1' : client, lies.join()).length > 0,
          true,
        );
      }),
    );
  });
});
