import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolve } from 'node:path';
import { usualMemoryMib } from './runtime/heap.ts';
import { mayColour, readConfig, settings, unknownSettings } from './config.ts';

describe('readConfig', () => {
  it('has a default for every setting', () => {
    assert.deepEqual(readConfig({}), {
      ok: true,
      value: {
        dataDir: resolve('data'),
        commitDelayMs: 0.5,
        httpHost: '127.0.0.1',
        httpPort: 8080,
        adminHost: '127.0.0.1',
        adminPort: 8081,
        adminTls: null,
        httpTls: null,
        adminNames: [],
        smppHost: '127.0.0.1',
        smppPort: 2775,
        smppTls: null,
        simulatorPort: 2776,
        trustedProxies: [],
        httpBalancers: [],
        smppBalancers: [],
        memoryMib: usualMemoryMib(),
        logLevel: 'info',
        clockAheadMaxMs: 86_400_000,
      },
    });
  });

  const accepted: readonly (readonly [variable: string, text: string, name: string, value: string | number])[] = [
    ['MORSEL_DATA_DIR', '/var/lib/morsel', 'dataDir', '/var/lib/morsel'],
    ['MORSEL_DATA_DIR', 'here', 'dataDir', resolve('here')],
    ['MORSEL_HTTP_HOST', '0.0.0.0', 'httpHost', '0.0.0.0'],
    ['MORSEL_HTTP_HOST', '::', 'httpHost', '::'],
    ['MORSEL_HTTP_PORT', '0', 'httpPort', 0],
    ['MORSEL_HTTP_PORT', '65535', 'httpPort', 65535],
    ['MORSEL_ADMIN_HOST', 'localhost', 'adminHost', 'localhost'],
    ['MORSEL_ADMIN_PORT', '18081', 'adminPort', 18081],
    ['MORSEL_SMPP_PORT', '3550', 'smppPort', 3550],
    ['MORSEL_SIMULATOR_PORT', '0', 'simulatorPort', 0],
    ['MORSEL_CLOCK_AHEAD_HOURS', '48', 'clockAheadMaxMs', 172_800_000],
    ['MORSEL_COMMIT_DELAY_MS', '0.25', 'commitDelayMs', 0.25],
    ['MORSEL_COMMIT_DELAY_MS', '0', 'commitDelayMs', 0],
    ['MORSEL_MEMORY_MIB', '512', 'memoryMib', 512],
    ['MORSEL_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['MORSEL_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ];
  for (const [variable, text, name, value] of accepted) {
    it(`reads ${variable}=${text}`, () => {
      const config = readConfig({ [variable]: text });
      assert.ok(config.ok);
      assert.equal(new Map<string, unknown>(Object.entries(config.value)).get(name), value);
    });
  }

  const ranges = {
    MORSEL_TRUSTED_PROXIES: 'trustedProxies',
    MORSEL_HTTP_BALANCERS: 'httpBalancers',
    MORSEL_SMPP_BALANCERS: 'smppBalancers',
  } as const;
  for (const [variable, name] of Object.entries(ranges)) {
    it(`reads ${variable} as addresses and ranges`, () => {
      const config = readConfig({ [variable]: '127.0.0.1, 10.0.0.0/8' });
      assert.deepEqual(config.ok && config.value[name]?.map(({ text }) => text), ['127.0.0.1', '10.0.0.0/8']);
    });
  }

  const refusals: readonly (readonly [variable: string, text: string, sentence: RegExp])[] = [
    ['MORSEL_DATA_DIR', '', /^MORSEL_DATA_DIR is empty: it must be the path of a folder$/],
    ['MORSEL_HTTP_HOST', '', /empty/],
    ['MORSEL_HTTP_HOST', 'http://localhost', /is "http:\/\/localhost": it must be a host name or an IP address/],
    ['MORSEL_HTTP_HOST', '300.1.1.1', /an IP address/],
    [
      'MORSEL_HTTP_PORT',
      '',
      /^MORSEL_HTTP_PORT is empty: it must be a whole number from 0 \(any free port\) to 65535$/,
    ],
    ['MORSEL_HTTP_PORT', '65536', /"65536"/],
    ['MORSEL_TRUSTED_PROXIES', 'localhost', /addresses and ranges, separated by commas/],
    ['MORSEL_TRUSTED_PROXIES', '10.0.0.1/8', /MORSEL_TRUSTED_PROXIES/],
    ['MORSEL_TRUSTED_PROXIES', '127.0.0.1,', /MORSEL_TRUSTED_PROXIES/],
    ['MORSEL_HTTP_PORT', '-1', /whole number/],
    ['MORSEL_HTTP_PORT', '80.5', /whole number/],
    ['MORSEL_HTTP_PORT', '8080 ', /whole number/],
    ['MORSEL_HTTP_PORT', '0x50', /whole number/],
    ['MORSEL_ADMIN_PORT', 'admin', /MORSEL_ADMIN_PORT/],
    ['MORSEL_SMPP_PORT', 'smpp', /MORSEL_SMPP_PORT/],
    ['MORSEL_SIMULATOR_PORT', '99999', /MORSEL_SIMULATOR_PORT/],
    ['MORSEL_COMMIT_DELAY_MS', '11', /milliseconds from 0 \(no wait\) to 10, such as 0\.5$/],
    ['MORSEL_COMMIT_DELAY_MS', '-1', /milliseconds/],
    [
      'MORSEL_MEMORY_MIB',
      '319',
      /^MORSEL_MEMORY_MIB is "319": it must be a whole number from 320 to 65536, or empty for what fits the machine$/,
    ],
    ['MORSEL_MEMORY_MIB', '1G', /MORSEL_MEMORY_MIB/],
    ['MORSEL_LOG_LEVEL', 'verbose', /one of trace, debug, info, warn, error, fatal, silent$/],
    ['MORSEL_LOG_LEVEL', 'INFO', /one of/],
    ['MORSEL_LOG_LEVEL', 'x\ny', /is "x\\ny"/],
  ];
  for (const [variable, text, sentence] of refusals) {
    it(`refuses ${variable}=${JSON.stringify(text)} in one line`, () => {
      const config = readConfig({ [variable]: text });
      assert.ok(!config.ok);
      assert.match(config.error, sentence);
      assert.doesNotMatch(config.error, /\n/);
    });
  }

  it('repeats only the beginning of a long bad value', () => {
    const config = readConfig({ MORSEL_HTTP_PORT: '9'.repeat(10_000) });
    assert.ok(!config.ok && config.error.length < 200);
  });
});

describe('unknownSettings', () => {
  const rows: readonly (readonly [name: string, hint: string])[] = [
    ['MORSEL_HTP_PORT', '; did you mean MORSEL_HTTP_PORT?'],
    ['MORSEL_PORT', ''],
    ['morsel_data_dir', '; did you mean MORSEL_DATA_DIR?'],
    ['MORSEL_LOGLEVEL', '; did you mean MORSEL_LOG_LEVEL?'],
    ['MORSEL_SIMULATOR', ''],
  ];
  for (const [name, hint] of rows) {
    it(`reports ${name} as unknown${hint}`, () => {
      assert.deepEqual(unknownSettings({ [name]: '1', PATH: '/bin' }), [`unknown setting ${name} is ignored${hint}`]);
    });
  }

  it('is empty for known names and for names without MORSEL_', () => {
    const known = Object.fromEntries(Object.keys(settings).map((name) => [name, '1']));
    assert.deepEqual(unknownSettings({ ...known, HOME: '/', MORSELS: '1' }), []);
  });
});

it('output has no colours with NO_COLOR or on a dumb terminal', () => {
  assert.equal(mayColour({}), true);
  assert.equal(mayColour({ NO_COLOR: '' }), true);
  assert.equal(mayColour({ NO_COLOR: '1' }), false);
  assert.equal(mayColour({ TERM: 'dumb' }), false);
});
