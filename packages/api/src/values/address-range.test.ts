import assert from 'node:assert/strict';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { isWithin, parseAddress, parseRange } from './address-range.ts';

function contains(range: string, address: string): boolean | undefined {
  const parsed = parseRange(range);
  const words = parseAddress(address);
  return parsed && words && isWithin([parsed], words);
}

describe('a range of addresses', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['192.0.2.0/24', '192.0.2.255', true],
    ['192.0.2.0/25', '192.0.2.128', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '192.0.2.7', true],
    ['2001:db8::1', '2001:0DB8:0:0:0:0:0:1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['192.0.2.0/24', '::ffff:192.0.2.9', true],
    ['192.0.2.0/24', '::ffff:c000:209', true],
    ['::ffff:192.0.2.0/120', '192.0.2.9', true],
    ['::ffff:192.0.2.0/120', '192.0.3.9', false],
  ];
  for (const [range, address, expected] of rows) {
    it(`${range} ${expected ? 'has' : 'has not'} ${address}`, () => assert.equal(contains(range, address), expected));
  }

  // Which texts are addresses is compared with node below.
  for (const text of [
    'localhost',
    '192.0.2.1/24',
    '192.0.2.0/33',
    '192.0.2.0/',
    '192.0.2.0/024',
    '192.0.2.0/24/1',
    '192.0.2.0/-1',
    ' 192.0.2.0',
    '::/129',
    '2001:db8::1/64',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(parseRange(text), undefined));
  }

  it('agrees with node about which texts are addresses', () => {
    const piece = fc.constantFrom(':', '::', '.', '0', '1', 'ff', '255', '256', 'abcd', '12345', 'g', '192.0.2.1');
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (input) => {
        assert.equal(parseAddress(input) !== undefined, isIP(input) !== 0, input);
      }),
      { numRuns: 2_000 },
    );
  });

  it('agrees with node about the addresses in a range', () => {
    const pair = fc.oneof(
      fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 })),
      fc.tuple(fc.ipV6(), fc.ipV6(), fc.integer({ min: 0, max: 128 })),
    );
    fc.assert(
      fc.property(pair, ([network, other, bits]) => {
        const family = isIPv6(network) ? 'ipv6' : 'ipv4';
        // A range and an address of different families are not compared: node maps some IPv4 addresses into IPv6 and
        // some not.
        if (family === 'ipv6' && [network, other].some((each) => parseAddress(each)?.[5] === 0xff_ff)) return;
        const list = new BlockList();
        list.addSubnet(network, bits, family);
        const range = { text: '', words: parseAddress(network) ?? [], bits: family === 'ipv4' ? bits + 96 : bits };
        for (const address of [network, other]) {
          assert.equal(isWithin([range], parseAddress(address) ?? []), list.check(address, family), address);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
