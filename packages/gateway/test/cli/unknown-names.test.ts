import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { commands } from '@morsel/cli/commands.ts';
import { answer, morsel, served } from '../support/morsel.ts';
import { toJson } from '../support/json.ts';

/*
 * A command that names something unknown reports it on standard error and fails, so a script never takes it for an
 * empty list.
 */

const noAccount = /there is no account named nobody/;
const noList = /there is no price list named nobody/;
const noCarrier = /there is no carrier named nobody/;
const noLogin = /there is no login with the system_id nobody/;
const noOperator = /there is no operator named nobody/;
const noMessage = /no message/;
const noWebhook = /there is no webhook 42/;
const noNotification = /there is no notification 42/;
const id = '904907980800001';
const login = '--host 127.0.0.1 --port 1 --system-id us --password secret';

/** Commands that take no name, or the name of what they make. */
const namesNothing =
  'clock confirm, version, serve, demo, simulate, resume, backup, status, account add, account list, carrier add, carrier list, carrier presets, route list, price list, node list, move, login, logout, whoami, operator add, operator list, audit list, audit verify, audit export, refusal list, refusal summary, retention list, privacy erase, privacy list, privacy rebuild, privacy export, encryption-key list, encryption-key rotate, encryption-key rewrap, alarm list, alarm kinds, alarm set, alarm quiet, alarm receiver list, config export, config plan, config apply, config rollback, traffic now, traffic history';

const refusals: readonly (readonly [command: string, rest: string, says: RegExp])[] = [
  ['operator show', 'nobody', noOperator],
  ['operator sign-in-link', 'nobody', noOperator],
  ['operator without-codes', 'nobody', noOperator],
  ['carrier answers', 'nobody', /there is no carrier named nobody/],
  ['carrier history', 'nobody', /there is no carrier named nobody/],
  ['operator set', 'nobody --role viewer', noOperator],
  ['operator remove', 'nobody', noOperator],
  ['operator-key add', 'nobody', noOperator],
  ['operator-key list', 'nobody', noOperator],
  ['operator-key revoke', '0123456789ab', /there is no operator key with the id 0123456789ab/],
  ['audit show', '0-99', /there is no entry 0-99 in the audit log/],
  ['alarm show', '42', /there is no alarm 42/],
  ['alarm receiver add', 'phone --kind sms --to +41791112233 --sender Morsel --account nobody', noAccount],
  ['alarm receiver set', 'nobody --quiet none', /there is no receiver named nobody/],
  ['alarm receiver test', 'nobody', /there is no receiver named nobody/],
  ['alarm receiver remove', 'nobody', /there is no receiver named nobody/],
  ['alarm ack', '42', /there is no alarm 42/],
  ['node drain', 'nobody', /no running node named nobody/],
  ['node resume', 'nobody', /no running node named nobody/],
  ['account show', 'nobody', noAccount],
  ['account set', 'nobody --day-cap 5', noAccount],
  ['account rules', 'nobody', noAccount],
  ['account top-up', 'nobody 1', noAccount],
  ['account adjust', 'nobody --amount 1 --reason twice', noAccount],
  ['account statement', 'nobody --from 2026-01-01 --to 2026-02-01', noAccount],
  ['account balance', 'nobody --at 2026-01-01', noAccount],
  ['ledger check', '--account nobody', noAccount],
  ['account suspend', 'nobody', noAccount],
  ['account resume', 'nobody', noAccount],
  ['account remove', 'nobody', noAccount],
  ['account erase', 'nobody --yes', noAccount],
  ['token add', 'nobody', noAccount],
  ['token list', 'nobody', noAccount],
  ['token usage', 'nobody', noAccount],
  ['token rotate', '0123456789ab', /there is no token with the id 0123456789ab/],
  ['token revoke', '0123456789ab', /there is no token with the id 0123456789ab/],
  ['smpp-login add', 'nobody', noAccount],
  ['smpp-login list', 'nobody', noAccount],
  ['smpp-login set', 'nobody --from any', noLogin],
  ['smpp-login remove', 'nobody', noLogin],
  ['session list', 'nobody', noAccount],
  ['session close', '42', /there is no session 42/],
  ['session close', '--account nobody', noAccount],
  ['session close', '--system-id nobody', noLogin],
  ['carrier show', 'nobody', noCarrier],
  ['carrier set', 'nobody --window 5', noCarrier],
  ['carrier set', 'known --cost-list nobody', /there is no price list named nobody/],
  ['carrier cost', 'nobody --from 2026-01-01', noCarrier],
  ['carrier pause', 'nobody', noCarrier],
  ['carrier resume', 'nobody', noCarrier],
  ['carrier drain', 'nobody', noCarrier],
  ['carrier rebind', 'nobody', noCarrier],
  ['carrier rebind', 'known --link 2', /link must be 1, the only link of carrier known/],
  ['carrier test', 'nobody', noCarrier],
  ['carrier remove', 'nobody', noCarrier],
  ['carrier learned', 'nobody', noCarrier],
  ['carrier reconcile', 'nobody /dev/null --from 2026-01-01 --to 2026-02-01', noCarrier],
  ['cdr list', '--account nobody', noAccount],
  ['cdr check', '--account nobody', noAccount],
  ['cdr export', '--carrier nobody', noCarrier],
  ['route add', '--prefix 41 --carrier nobody', noCarrier],
  ['route add', '--prefix 41 --carrier known --account nobody', noAccount],
  ['route set', '--prefix 49 --rank 2', /there is no route for prefix 49/],
  ['route set', '--prefix 41 --new-carrier nobody', noCarrier],
  ['route set', '--prefix 41 --new-account nobody', noAccount],
  ['route remove', '--prefix 49', /there is no route for prefix 49/],
  ['route remove', '--prefix 41 --account nobody', noAccount],
  ['route remove', '--prefix 41 --carrier nobody', /has no carrier named nobody/],
  ['route explain', '--account nobody --receiver +41791112233', noAccount],
  ['price set', '--list nobody --prefix 41 --price 1', noList],
  ['price show', 'nobody', noList],
  ['price show', 'default --version 9', /there is no version 9 of a price list named default/],
  ['price versions', 'nobody', noList],
  ['price remove', '--list nobody --prefix 41', noList],
  ['price remove', '--list nobody --all --yes', noList],
  ['price remove', '--list nobody --all', noList],
  ['price remove', '--list default --prefix 99', /itself has no price for prefix 99/],
  ['price withdraw', 'nobody --version 1', noList],
  ['price base', 'nobody --base default', noList],
  ['price base', 'default --base nobody', noList],
  ['price import', '/dev/null --list nobody', noList],
  ['price export', 'nobody', noList],
  ['price diff', 'nobody', noList],
  ['price diff', 'default nobody', noList],
  ['send', '--account nobody --sender Shop --receiver +41791112233 --text Hello', noAccount],
  ['quote', '--account nobody --sender Shop --receiver +41791112233 --text Hello', noAccount],
  ['message show', id, noMessage],
  ['message cancel', id, noMessage],
  ['message cancel', '--account nobody', noAccount],
  ['message reroute', id, noMessage],
  ['message reroute', '--carrier nobody', noCarrier],
  ['message reroute', '--route 49', /there is no route for prefix 49/],
  ['message find', '--account nobody', noAccount],
  ['message find', '--carrier nobody', noCarrier],
  ['message in-doubt', '--carrier nobody', noCarrier],
  ['message settle', `${id} --as sent`, noMessage],
  ['optout list', '--account nobody', noAccount],
  ['optout history', '--account nobody', noAccount],
  ['optout add', '--account nobody --receiver +41791112233 --reason asked', noAccount],
  ['optout remove', '--account nobody --receiver +41791112233 --reason asked', noAccount],
  ['optout words', '--account nobody', noAccount],
  ['optout word', 'enough --account nobody --means stop', noAccount],
  ['optout set', '--account nobody --words off', noAccount],
  ['optout import', '/dev/null --account nobody --reason asked', noAccount],
  ['optout export', '--account nobody', noAccount],
  ['receipt unmatched', '--carrier nobody', noCarrier],
  ['receipt show', '42', /there is no unmatched receipt 42/],
  ['number add', '+41791112233 --account nobody', noAccount],
  ['number list', '--account nobody', noAccount],
  ['number set', '+41791112233 --account nobody', noAccount],
  ['number set', '8811 --account known', /there is no number 8811/],
  ['number remove', '+41791112233', /there is no number \+41791112233/],
  ['keyword add', '8811 taxi --account nobody', noAccount],
  ['keyword add', '8811 taxi --account known', /there is no number 8811/],
  ['keyword list', '--account nobody', noAccount],
  ['keyword list', '--prefix', /^morsel: --prefix must be given together with number\n$/],
  ['keyword list', '--number 8811', /no account has the number 8811/],
  ['keyword remove', '8811 taxi', /the number 8811 has no keyword taxi/],
  ['inbound list', '--account nobody', noAccount],
  ['inbound replay', id, /there is no inbound message with the id 904907980800001/],
  ['inbound replay', `--account nobody --undelivered`, noAccount],
  ['listen', 'nobody', noAccount],
  ['webhook add', 'nobody https://example.com/', noAccount],
  ['webhook set', '42 --concurrency 5', noWebhook],
  ['webhook list', 'nobody', noAccount],
  ['webhook show', '42', noWebhook],
  ['webhook test', '42', noWebhook],
  ['webhook pause', '42', noWebhook],
  ['webhook resume', '42', noWebhook],
  ['webhook remove', '42', noWebhook],
  ['webhook replay', '42', noNotification],
  ['webhook replay', '--account nobody', noAccount],
  ['webhook replay', '--webhook 42', noWebhook],
  ['webhook secret add', '42', noWebhook],
  ['webhook secret list', '42', noWebhook],
  ['webhook secret remove', '42 1', noWebhook],
  ['notification list', '--account nobody', noAccount],
  ['notification list', '--webhook 42', noWebhook],
  ['notification show', '42', noNotification],
  ['inbound show', id, noMessage],
];

describe('a command with an unknown name', () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await served();
    await answer(['account', 'add', 'known', '--currency', 'EUR']);
    await answer(['carrier', 'add', 'known', ...login.split(' ')]);
    await answer(['route', 'add', '--prefix', '41', '--carrier', 'known']);
  });
  after(() => gateway.stop());

  it('is in this table, for every command', () => {
    const known = new Set([...refusals.map(([command]) => command), ...namesNothing.split(', ')]);
    const forgotten = commands.map(({ words }) => words).filter((words) => !known.has(words));
    assert.deepEqual(forgotten, [], 'say in this table what of it may not exist');
  });

  for (const [command, rest, says] of refusals) {
    it(`fails: morsel ${command} ${rest}`, async () => {
      const words = `${command} ${rest}`.split(' ');
      const [plain, json] = [await morsel(words), await morsel([...words, '--json'])];
      const status = json.errors.includes('"code":"invalid_parameter"') ? 2 : 1;
      assert.deepEqual([plain.status, plain.out], [status, '']);
      assert.match(plain.errors, says);
      assert.deepEqual([json.status, json.out], [status, '']);
      assert.match(
        String(toJson(JSON.parse(json.errors))['code']),
        /^(does_not_exist|message_not_found|invalid_parameter)$/,
      );
    });
  }
});
