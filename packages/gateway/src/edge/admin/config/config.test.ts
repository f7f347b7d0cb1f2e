import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { done } from '../../../../test/support/done.ts';
import { gateway } from '../../../../test/support/gateway/admin-api.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import { operatorCalls } from '../handlers.ts';
import { sections } from '../../../state/decide/config/sections.ts';

function calls() {
  return operatorCalls(gateway.operator);
}

const whole = {
  carriers: [
    {
      name: 'alpha',
      host: '127.0.0.1',
      port: 1,
      systemId: 'us',
      password: 'pw',
      window: 20,
      throughput: 0.2,
      gsmCoding: 'latin1',
    },
  ],
  accounts: [
    { name: 'acme', currency: 'EUR', creditLimit: '10.50', rate: '50/s', senders: ['ACME', '+41*'], premium: 'refuse' },
  ],
  routes: [
    { prefix: '41', carrier: 'alpha', rank: 2 },
    { prefix: '41', carrier: 'alpha', account: 'acme', cost: '0.01' },
  ],
  numbers: [
    { number: '+41791112233', account: 'acme' },
    { number: '8822', shared: true },
  ],
  keywords: [{ number: '8822', word: 'taxi', account: 'acme' }],
  webhooks: [{ account: 'acme', url: 'https://example.com/sms', on: ['inbound', 'receipt'], fields: ['from=sender'] }],
};

async function planned(document: object, prune = false) {
  return done(await calls().config.plan({ config: JSON.stringify(document), prune }));
}

async function applied(document: object, prune = false) {
  const { version } = await planned(document, prune);
  return calls().config.apply({ config: JSON.stringify(document), prune, version });
}

const windowOf = (window: number) => JSON.stringify({ carriers: [{ name: 'alpha', window }] });

describe('settings as a file', () => {
  it('adds all objects to an empty gateway, and a second apply changes nothing', async () => {
    const { steps, secrets } = done(await applied(whole));
    assert.deepEqual([steps.length, secrets.length], [8, 1]);
    assert.deepEqual((await planned(whole)).steps, []);
  });

  it('is exported completely and without secrets: a plan of the export changes nothing', async () => {
    const { config } = done(await calls().config.show());
    assert.doesNotMatch(config, /"pw"|whsec_/);
    const { steps, kept } = done(await calls().config.plan({ config, prune: true }));
    assert.deepEqual({ steps, kept }, { steps: [], kept: [] });
  });

  it('shows each changed setting with its values, and changes only these settings', async () => {
    const change = { carriers: [{ name: 'alpha', window: 30, password: 'other' }] };
    const { steps, kept } = await planned(change);
    assert.deepEqual(steps, [
      {
        action: 'change',
        what: 'carrier alpha',
        changes: [
          { field: 'password', before: '(secret)', after: '(secret)' },
          { field: 'window', before: '20', after: '30' },
        ],
      },
    ]);
    assert.deepEqual(kept, []);
    done(await applied(change));
    assert.equal(done(await calls().carrier.show({ carrier: 'alpha' })).window, 30);
    assert.deepEqual((await planned(change)).steps, []);
  });

  it('refuses an outdated plan: of two applies at the same time, one succeeds', async () => {
    const { version } = done(await calls().config.plan({ config: windowOf(41) }));
    const both = await Promise.all(
      [41, 42].map((window) => calls().config.apply({ config: windowOf(window), version })),
    );
    assert.deepEqual(
      both.map(({ ok }) => String(ok)).toSorted((one, other) => one.localeCompare(other)),
      ['false', 'true'],
    );
    assert.match(JSON.stringify(both), /the settings have changed since this plan was made/);
    assert.match(JSON.stringify(await calls().config.apply({ config: windowOf(43), version })), /have changed/);
  });

  it('removes objects that the file lacks with prune, and restores the previous settings', async () => {
    const before = done(await calls().config.show()).config;
    const less = { routes: whole.routes.slice(0, 1), keywords: [], numbers: [{ number: '8822', shared: true }] };
    assert.deepEqual((await planned(less)).steps, []);
    assert.deepEqual((await planned(less)).kept.toSorted(), [
      'keyword 8822 taxi',
      'number +41791112233',
      'route 41 acme alpha',
    ]);
    assert.equal(done(await applied(less, true)).steps.length, 3);
    const { config } = done(await calls().config.previous());
    assert.equal(config, before);
    done(await applied(JSON.parse(config), true));
    assert.equal(done(await calls().config.show()).config, before);
  });

  it('names the place of an error in the file', async () => {
    for (const [document, field, says] of [
      [{ accounts: [{ name: 'acme', currency: 'USD' }] }, 'accounts[0].currency', /cannot change/],
      [{ webhooks: [{ account: 'acme', url: 'http://127.0.0.1/' }] }, 'webhooks[0].url', /which is loopback/],
    ] as const) {
      const refused = await calls().config.plan({ config: JSON.stringify(document) });
      assert.ok(!refused.ok && refused.error.code === 'invalid_parameter');
      assert.equal(refused.error.field, field);
      assert.match(refused.error.detail, says);
    }
  });

  it('names all errors of the file at once, and a plan changes nothing', async () => {
    const before = done(await calls().config.show());
    const entries = done(await calls().audit.list({})).items.length;
    const bad = {
      carriers: [{ name: 'alpha', window: 0, links: 0, windw: 1 }, { name: 'alpha' }],
      routes: [{ prefix: '49' }],
    };
    const wrong = await calls().config.plan({ config: JSON.stringify(bad) });
    assert.ok(!wrong.ok && wrong.error.code === 'invalid_parameter');
    assert.deepEqual(
      wrong.error.faults?.map(({ field }) => field),
      ['carriers[0].windw', 'carriers[0].window', 'carriers[0].links', 'routes[0]'],
    );
    const refused = await calls().config.plan({
      config: JSON.stringify({
        accounts: [{ name: 'gamma', currency: 'EUR' }],
        routes: [
          { prefix: '48', carrier: 'alpha', account: 'gamma' },
          { prefix: '49', carrier: 'nobody' },
          { prefix: '47', carrier: 'alpha', account: 'never' },
        ],
      }),
    });
    assert.ok(!refused.ok && refused.error.code === 'invalid_parameter');
    assert.deepEqual(
      refused.error.faults?.map(({ field }) => field),
      ['routes[1]', 'routes[2]'],
    );
    const used = await calls().config.plan({ config: JSON.stringify({ carriers: [] }), prune: true });
    assert.match(JSON.stringify(used), /"field":"carriers","detail":"remove carrier alpha: .*has a route/);
    assert.deepEqual(done(await calls().config.show()), before);
    assert.equal(done(await calls().audit.list({})).items.length, entries);
  });

  it('adds one entry to the audit log for the apply, and one for each changed object', async () => {
    const items = done(await calls().audit.list({ order: 'oldest' })).items.map(({ operation }) => operation);
    assert.deepEqual(items.slice(0, 4), ['config.apply', 'carrier.add', 'account.add', 'route.add']);
    const given = done(await calls().audit.list({})).items.map((each) => each.given);
    assert.doesNotMatch(given.join(' '), /"pw"|"other"/);
  });
});

/** Resources that a settings file does not have although an operator adds them, and the reason for each. */
const apart: { readonly [resource: string]: string } = {
  token: 'a secret that is shown once',
  login: 'a secret that is shown once',
  webhookSecret: 'a secret that is shown once',
  operator: 'who may apply a file is not in the file',
  operatorKey: 'a secret that is shown once',
  alarmReceiver: 'has a secret that no file has, and belongs to the machine',
  changeSet: 'a draft of a file itself',
  optOut: 'the wish of a receiver, not a setting',
};

it('each resource whose objects an operator adds is in the settings file, or has a reason why not', () => {
  const added = Object.entries(resources).flatMap(([name, { operations }]) => ('add' in operations ? [name] : []));
  assert.deepEqual(added.toSorted(), [...sections.map(({ noun }) => noun), ...Object.keys(apart)].toSorted());
});
