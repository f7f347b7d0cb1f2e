import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAddress, parseRange } from '@morsel/api/values/address-range.ts';
import { reasonToRefuse, tooWideFor } from './outward-address.ts';
import { parseWebhookUrl } from './webhook-url.ts';

/* Addresses that no webhook may call, however they are written. */

const refusedAddresses: readonly (readonly [is: RegExp, addresses: string])[] = [
  [/this host/, '0.0.0.0 0.1.2.3'],
  [/private/, '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 ::ffff:10.0.0.1 fc00::1 fdff:ffff::1 fec0::1'],
  [/provider/, '100.64.0.1'],
  [/loopback/, '127.0.0.1 127.255.255.254 ::1 ::ffff:7f00:1'],
  [/link-local/, '169.254.169.254 fe80::1 fe80::1%eth0'],
  [/protocols/, '192.0.0.8 2001:10::1'],
  [/documentation/, '192.0.2.1 198.51.100.7 203.0.113.7 2001:db8::1 3fff::1'],
  [/6to4/, '192.88.99.1 2002:a00:1::'],
  [/benchmarks/, '198.19.0.1'],
  [/multicast/, '224.0.0.251 239.255.255.250 ff02::1'],
  [/reserved/, '240.0.0.1 4000::1 5f00::1'],
  [/broadcast/, '255.255.255.255'],
  [/no address/, '::'],
  [/disguise/, '::7f00:1 ::10.0.0.1 ::ffff:0:10.0.0.1'],
  [/NAT64/, '64:ff9b::10.0.0.1 64:ff9b:1::a00:1'],
  [/Teredo/, '2001::1'],
  [/black hole/, '100::1'],
];

describe('an address that is not public is refused', () => {
  for (const [is, addresses] of refusedAddresses) {
    it(`as ${is.source}: ${addresses}`, () => {
      for (const address of addresses.split(' ')) {
        assert.match(reasonToRefuse(parseAddress(address) ?? assert.fail(), []) ?? 'taken', is, address);
        const host = address.includes(':') ? `[${address.replace(/%.*/, '')}]` : address;
        assert.equal(parseWebhookUrl(`https://${host}/`, []).ok, false, address);
      }
    });
  }

  it('public addresses are accepted', () => {
    for (const address of [
      '1.1.1.1',
      '93.184.215.14',
      '172.32.0.1',
      '192.0.1.1',
      '2606:4700::1111',
      '2a00:1450::1',
      '::ffff:1.1.1.1',
    ]) {
      assert.equal(reasonToRefuse(parseAddress(address) ?? assert.fail(), []), undefined, address);
    }
  });
});

/** URLs whose host is an IP address for the URL standard, though it does not look like one. */
const disguises = String.raw`
  http://2130706433/ http://0x7f000001/ http://0x7f.1/ http://017700000001/ http://0177.0.0.1/
  http://127.1/ http://127.0.0.1./ http://①②⑦.0.0.1/ http://127。0。0。1/ http://%31%32%37.0.0.1/
  http:\\127.0.0.1\ http://localhost/ http://LOCALHOST./ http://a.b.localhost/ http://[::]/
  http://[::1]/ http://[0:0:0:0:0:0:0:1]/ http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/
  http://[::127.0.0.1]/ http://[64:ff9b::7f00:1]/ http://[2002:7f00:1::]/ http://0/ http://3232235777/
  http://0xa9fea9fe/latest/meta-data`
  .trim()
  .split(/\s+/);

describe('a disguised address is recognised', () => {
  for (const url of disguises) {
    it(url, () => {
      const read = parseWebhookUrl(url, []);
      assert.match(
        read.ok ? 'taken' : read.error,
        /^it leads to [0-9a-f.:]+, which is .*: to allow this address, give --allow [0-9a-f.:]+ or a range that contains it$/,
      );
    });
  }
});

describe('an address that the operator allows is accepted, and no other', () => {
  const allowed = ['10.1.0.0/16', '127.0.0.1', 'fd00::/8'].map((text) => parseRange(text) ?? assert.fail());
  const rows = [
    ['http://10.1.2.3/', true],
    ['http://10.2.0.1/', false],
    ['http://localhost:8080/', true],
    ['http://[::ffff:10.1.2.3]/', true],
    ['http://127.0.0.2/', false],
    ['http://[fd12::1]/', true],
    ['http://[fc12::1]/', false],
  ] as const;
  for (const [url, isTaken] of rows) {
    it(`${url}: ${isTaken ? 'taken' : 'refused'}`, () => assert.equal(parseWebhookUrl(url, allowed).ok, isTaken));
  }
});

describe('the URL of a webhook', () => {
  const rows = [
    ['', /such as https/],
    ['example.com/sms', /such as https/],
    ['ftp://example.com/', /such as https/],
    ['file:///etc/passwd', /such as https/],
    ['gopher://example.com/', /such as https/],
    ['javascript:alert(1)', /such as https/],
    ['https://key@example.com/', /must not contain a user/],
    ['https://u:p@example.com/', /must not contain a user/],
    ['https://example.com/#part', /#/],
    ['https://example.com:22/', /port 22/],
    ['http://example.com:6379/', /port 6379/],
    ['http://example.com:2775/', /port 2775/],
    ['http://example.com:0/', /port 0/],
    [`https://example.com/${'x'.repeat(2_100)}`, /2048/],
  ] as const;
  for (const [url, says] of rows) {
    it(`${url.slice(0, 40)}: ${says.source}`, () => {
      const read = parseWebhookUrl(url, []);
      assert.match(read.ok ? 'taken' : read.error, says);
      assert.doesNotMatch(read.ok ? '' : read.error, /key@|u:p/);
    });
  }

  it('is kept in its normal form', () => {
    const read = parseWebhookUrl('https://Example.COM:8443/a%20b?key=1&x=ä', []);
    assert.deepEqual(read.ok && read.value, {
      text: 'https://example.com:8443/a%20b?key=1&x=%C3%A4',
      origin: 'https://example.com:8443',
      host: 'example.com',
      path: '/a%20b',
      query: 'key=1&x=%C3%A4',
    });
  });
});

describe('an allowed range must be of one network, and must not include special ranges', () => {
  const rows: readonly (readonly [inside: string | undefined, ranges: string])[] = [
    [
      undefined,
      `10.0.0.0/8 10.1.0.0/16 127.0.0.1 169.254.169.254 192.168.0.0/16 64:ff9b::a00:0/104 64:ff9b::5db8:d822 64:ff9b:1:2::a01:0/112 ::1 2002:a01::/32 2001:0:102:304::f5fe:0/112 fd00::/8 fc00::/7 8.8.8.0/24`,
    ],
    ['10.0.0.0/8', '10.0.0.0/7 64:ff9b::800:0/101'],
    ['169.254.0.0/16', '169.0.0.0/8 128.0.0.0/1'],
    ['192.0.0.0/24', '192.0.0.0/8'],
    [
      '0.0.0.0/8',
      `0.0.0.0/0 0.0.0.0/1 ::ffff:0:0/96 64:ff9b::/96 64:ff9b::/97 64:ff9b:1::/48 64:ff9b:1:2::/96 ::ffff:0:0:0/96 ::/96 2002::/16 2001::/32 2001:0:102:304::/64 ::/0 ::/1`,
    ],
    ['2001::/32', '2001::/23'],
    ['fc00::/7', 'f000::/4'],
    ['2002::/16', '2000::/3'],
  ];
  for (const [inside, ranges] of rows) {
    it(`${inside === undefined ? 'allowed' : `with ${inside} in it`}: ${ranges}`, () => {
      for (const range of ranges.split(' '))
        assert.equal(tooWideFor(parseRange(range) ?? assert.fail()), inside, range);
    });
  }
});
