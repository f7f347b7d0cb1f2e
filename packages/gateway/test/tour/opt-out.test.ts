/* STOP and START from the carrier's socket to the refusal of the next message, and the operator's commands. */

import assert from 'node:assert/strict';
import { userInfo, tmpdir } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { HttpClient, type HttpAnswer } from '../support/clients/http-client.ts';
import { morsel } from '../support/gateway/morsel.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { sharedGateway, type Tour, type TourOptions } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const guest = sharedGateway();
const phone = '+41791230001';
const ours = '+41790000001';

async function command(tour: Tour, ...words: string[]): Promise<string> {
  const { status, out, errors } = await morsel(words, { dataDir: tour.dataDir });
  assert.deepEqual([status, errors], [0, ''], words.join(' '));
  return out;
}

/** The account of a test has the number; that of the test before it no longer does. */
async function owning(options: TourOptions = {}): Promise<Tour> {
  const tour = await guest(options);
  await morsel(['number', 'remove', ours], { dataDir: tour.dataDir });
  await command(tour, 'number', 'add', ours, '--account', tour.account);
  return tour;
}

/** Sends an inbound message, and waits for its acknowledgement. */
function write(tour: Tour, text: string, to = ours): Promise<void> {
  return tour.simulator.sendInbound({ from: phone, to: to.replace('+', ''), text });
}

/** One of two parts. */
function part(number: number, text: string) {
  const header = Buffer.from([5, 0, 3, 7, 2, number]);
  return { esm_class: 0x40, short_message: Buffer.concat([header, Buffer.from(text)]) };
}

function codeOf(answer: HttpAnswer): unknown {
  return answer.body['code'] ?? answer.status;
}

describe('a STOP', () => {
  it('ends messages from every sender of the account, until START; refused ones are not charged', async () => {
    await using tour = await owning();
    await tour.event(await tour.accept({ receiver: phone }), 'delivered');
    const balance = await tour.balance();
    await write(tour, 'Stop!');
    for (const fields of [{}, { sender: 'ACME' }, { sendAt: new Date(Date.now() + 3_600_000).toISOString() }]) {
      const refused = await tour.send({ receiver: phone, ...fields });
      assert.deepEqual([refused.status, codeOf(refused)], [422, 'receiver_opted_out'], refused.text);
      assert.match(
        refused.text,
        /the receiver opted out of messages from this account; only the receiver or the operator can undo this/,
      );
    }
    assert.equal(await tour.balance(), balance);
    assert.match(
      await command(tour, 'optout', 'list', '--account', tour.account),
      /^ACCOUNT +RECEIVER +SENDER +SINCE +WHY\nguest-1 +\+41791230001 +\(all\) +\S+Z +wrote stop \(inbound \d+\)\n/,
    );
    await tour.restart();
    await tour.bound();
    assert.equal(codeOf(await tour.send({ receiver: phone })), 'receiver_opted_out');
    await write(tour, 'START');
    await tour.event(await tour.accept({ receiver: phone }), 'delivered');
    const history = await command(tour, 'optout', 'history', '--receiver', phone);
    assert.match(history, /\n\d+ .* in +guest-1 .* wrote start .*\n\d+ .* out +guest-1 .* wrote stop /);
    assert.equal(await command(tour, 'optout', 'list', '--account', tour.account), 'no receiver has opted out\n');
  });

  it('to an unmatched number changes nothing; nor does a longer text', async () => {
    await using tour = await owning();
    await write(tour, 'STOP', '41799999999');
    await write(tour, 'Stop by the shop tomorrow');
    await tour.accept({ receiver: phone });
  });

  it('counts in UCS-2, in two parts, and with both numbers in national form', async () => {
    await using carrier = await ScriptedCarrier.open();
    await using tour = await owning({ carriers: [{ name: 'alpha', prefix: '41', port: carrier.port }] });
    await waitUntil('the link is bound', () => carrier.links === 1);
    // For numbers in national form, only this says of which country they are.
    await command(tour, 'carrier', 'set', tour.carrierName('alpha'), '--country-code', '41');
    const addresses = { source_addr_ton: 1, dest_addr_ton: 1, destination_addr: ours.slice(1) };
    const ways = [
      [{ short_message: Buffer.from('СТОП', 'utf16le').swap16(), data_coding: 8 }],
      [part(2, 'OP'), part(1, 'ST')],
      [{ short_message: Buffer.from('stop'), source_addr_ton: 2, source_addr: '0791230003' }],
      [{ short_message: Buffer.from('stop'), dest_addr_ton: 2, destination_addr: '0790000001' }],
      [
        {
          short_message: Buffer.from('stop'),
          source_addr_ton: 2,
          source_addr: '791230005',
          dest_addr_ton: 2,
          destination_addr: '790000001',
        },
      ],
    ];
    for (const [at, pdus] of ways.entries()) {
      const from = `4179123000${at + 1}`;
      for (const pdu of pdus) {
        const sent = { source_addr: from, ...addresses, ...pdu, command: 'deliver_sm' as const };
        const answer = await carrier.session().request(sent);
        assert.ok(answer.kind === 'answered' && answer.pdu.command_status === 0);
      }
      assert.equal(codeOf(await tour.send({ receiver: `+${from}` })), 'receiver_opted_out', from);
    }
  });

  it('cancels and refunds waiting messages when their turn comes', async () => {
    await using tour = await owning();
    await command(tour, 'carrier', 'pause', tour.carrierName('alpha'));
    const before = await tour.balance();
    const msgId = await tour.accept({ receiver: phone });
    await write(tour, 'STOP');
    await command(tour, 'carrier', 'resume', tour.carrierName('alpha'));
    const report = await tour.event(msgId, 'canceled');
    assert.equal(report['errorCode'], 'receiver_opted_out');
    assert.equal(await tour.balance(), before);
    assert.equal(tour.submits(phone).length, 0);
  });
});

it('no message is accepted after the acknowledgement of a STOP, whatever else goes on', async () => {
  await using tour = await owning();
  const client = new HttpClient(tour.gateway.httpPort, 20);
  for (let round = 0; round < 5; round++) {
    const receiver = `+4179123000${round}`;
    let acknowledged = false;
    const late: HttpAnswer[] = [];
    const fields = { auth: tour.token, sender: ours, receiver, text: 'Hello', dcs: 'GSM' };
    const one = async () => {
      for (let after = 0; after < 3;) {
        const isLate = acknowledged;
        const answer = await client.post('/sms/send', fields);
        if (!isLate) continue;
        late.push(answer);
        after += 1;
      }
    };
    const senders = Array.from({ length: 20 }, one);
    await waitUntil('some were accepted', () => tour.submits(receiver).length > 5);
    await tour.simulator.sendInbound({ from: receiver, to: ours.slice(1), text: 'STOP' });
    acknowledged = true;
    await Promise.all(senders);
    assert.deepEqual([...new Set(late.map(codeOf))], ['receiver_opted_out']);
  }
  client.close();
});

it('an acknowledged one holds after kill -9', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'morsel-opt-out-'));
  await using carrier = await ScriptedCarrier.open();
  let auth = '';
  for (let kill = 0; kill < 4; kill++) {
    await using gateway = await GatewayProcess.start({ dataDir });
    const port = gateway.httpPort;
    if (kill === 0) {
      await gateway.administer('POST', '/v1/accounts', { name: 'acme', currency: 'EUR', balance: '10' });
      const fields = { name: 'alpha', host: '127.0.0.1', port: String(carrier.port), systemId: 'us' };
      await gateway.administer('POST', '/v1/carriers', { ...fields, password: 'secret' });
      await gateway.administer('POST', '/v1/routes', { prefix: '41', carrier: 'alpha' });
      await gateway.administer('POST', '/v1/price-lists/default/prices', {
        currency: 'EUR',
        prices: [{ prefix: '41', price: '0.01' }],
      });
      await gateway.administer('POST', '/v1/numbers', { number: ours, account: 'acme' });
      auth = String((await gateway.administer('POST', '/v1/accounts/acme/tokens')).body['token']);
    }
    await waitUntil('the link is bound', () => carrier.links === 1, 30_000);
    const client = new HttpClient(port);
    const fields = { auth, sender: ours, receiver: phone, text: 'Hello', dcs: 'GSM' };
    // One word for each kill: the last acknowledged one counts now.
    const wished = kill === 0 ? 200 : kill % 2 === 1 ? 'receiver_opted_out' : 200;
    assert.equal(codeOf(await client.post('/sms/send', fields)), wished);
    const answer = await carrier.session().request({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr: phone.slice(1),
      dest_addr_ton: 1,
      destination_addr: ours.slice(1),
      short_message: Buffer.from(kill % 2 === 0 ? 'STOP' : 'START'),
    });
    assert.ok(answer.kind === 'answered' && answer.pdu.command_status === 0);
    await gateway.kill();
    client.close();
    await waitUntil('the link has ended', () => carrier.links === 0);
  }
  rmSync(dataDir, { recursive: true, force: true });
});

describe('the operator', () => {
  it('adds, removes, imports and exports, and every change is on record', async () => {
    await using tour = await owning();
    const file = join(tour.dataDir, 'stops.csv');
    writeFileSync(
      file,
      '\ufeffreceiver;sender;reason\r\n0041 79 123 00 05;;"said ""no""; twice"\r\n+41791230006;Acme;\r\n',
    );
    const why = ['--reason', 'list of our last provider'];
    assert.equal(
      await command(tour, 'optout', 'import', file, '--account', tour.account, ...why),
      `2 receivers were added to the opt-out list of ${tour.account}\n`,
    );
    assert.equal(
      await command(tour, 'optout', 'import', file, '--account', tour.account, ...why),
      `0 receivers were added to the opt-out list of ${tour.account}; 2 were already on it\n`,
    );
    assert.equal(codeOf(await tour.send({ receiver: '+41791230005' })), 'receiver_opted_out');
    const named = await tour.send({ receiver: '+41791230006', sender: 'ACME' });
    assert.match(named.text, /opted out of messages from Acme/);
    await tour.accept({ receiver: '+41791230006' });
    const exported = await command(tour, 'optout', 'export', '--account', tour.account);
    assert.match(
      exported,
      /^receiver,sender,since,by,word,reason\n\+41791230005,,\S+Z,operator,,"said ""no""; twice"\n\+41791230006,Acme,\S+,operator,,list of our last provider\n$/,
    );
    const again = await morsel(['optout', 'import', '-', '--account', tour.account, ...why], {
      dataDir: tour.dataDir,
      input: exported,
    });
    assert.equal(again.out, `0 receivers were added to the opt-out list of ${tour.account}; 2 were already on it\n`);
    assert.match(
      await command(
        tour,
        'optout',
        'add',
        '--account',
        tour.account,
        '--receiver',
        phone,
        '--reason',
        'letter of 3 May',
      ),
      /^\+41791230001 is now opted out of all senders of guest-\d+\n/,
    );
    assert.equal(codeOf(await tour.send({ receiver: phone })), 'receiver_opted_out');
    await command(tour, 'optout', 'remove', '--account', tour.account, '--receiver', phone, '--reason', 'asked for it');
    await tour.accept({ receiver: phone });
    const { items }: { items: object[] } = JSON.parse(
      await command(tour, 'optout', 'history', '--receiver', phone, '--json'),
    );
    assert.deepEqual(
      items.map((event) => Object.values(event).slice(2)).filter(([account]) => account === tour.account),
      [
        [tour.account, phone, null, 'in', 'operator', null, null, userInfo().username, 'asked for it'],
        [tour.account, phone, null, 'out', 'operator', null, null, userInfo().username, 'letter of 3 May'],
      ],
    );
  });

  it('gets every line of a file that cannot be read, and nothing of it is stored', async () => {
    await using tour = await owning();
    const input = 'receiver,sender\n+41791230005,\n12,\n+41791230006,a name that is too long\n';
    const words = ['optout', 'import', '-', '--account', tour.account, '--reason', 'r'];
    const { status, errors } = await morsel(words, { dataDir: tour.dataDir, input });
    assert.equal(status, 2);
    assert.match(
      errors,
      /-:3: receiver: .*\n.*-:4: sender: a sender must be an international number[^]*no part of the file was used\n$/,
    );
    assert.equal(await command(tour, 'optout', 'list', '--account', tour.account), 'no receiver has opted out\n');
  });

  it('sees what own words make of the usual ones, with a warning for those that say the opposite', async () => {
    await using tour = await owning();
    const word = (text: string, means: string) =>
      morsel(['optout', 'word', text, '--account', tour.account, '--means', means], { dataDir: tour.dataDir });
    assert.match((await word('STOP', 'nothing')).out, /\nwarnings +STOP means nothing here: people write it/);
    const { out } = await word('START', 'stop');
    assert.match(out, /\nscope +account\nstop word +START\nstart word +UNSTOP\n/);
    assert.match(
      out,
      /warnings +START opts phones out here: people write it to get messages again,STOP means nothing here/,
    );
    await write(tour, 'START');
    assert.equal(codeOf(await tour.send({ receiver: phone })), 'receiver_opted_out');
    const nothing = await morsel(['optout', 'set', '--account', tour.account], { dataDir: tour.dataDir });
    assert.equal(nothing.status, 2);
    const set = (onOrOff: string) =>
      morsel(['optout', 'set', '--account', tour.account, '--words', onOrOff], { dataDir: tour.dataDir });
    assert.doesNotMatch((await set('off')).out, /warnings/);
    assert.match((await set('on')).out, /warnings .*STOP means nothing here/);
    assert.match(nothing.errors, /^morsel: name a setting to change: --words, --scope\n$/);
  });

  it('gives an account words of its own, one number for each company, or switches words off', async () => {
    await using tour = await owning();
    await command(tour, 'optout', 'word', 'Stop Acme', '--account', tour.account, '--means', 'stop');
    await command(tour, 'optout', 'word', 'CANCEL', '--account', tour.account, '--means', 'nothing');
    assert.match(
      await command(tour, 'optout', 'set', '--account', tour.account, '--scope', 'sender'),
      /\nwords +on\nscope +sender\nstop word +STOP\nstart word +START\n/,
    );
    const words = await command(tour, 'optout', 'words', '--account', tour.account);
    assert.match(
      words,
      /\nOWN WORD +MEANS\ncancel +nothing\nstop acme +stop\n\nusual:\nLANGUAGE +START +STOP\nEnglish +START\S* .* STOP,/,
    );
    await write(tour, 'CANCEL');
    await tour.accept({ receiver: phone });
    await write(tour, 'STOP ACME');
    assert.equal(codeOf(await tour.send({ receiver: phone })), 'receiver_opted_out');
    await tour.accept({ receiver: phone, sender: 'ACME' });
    await command(tour, 'optout', 'set', '--account', tour.account, '--words', 'off');
    await write(tour, 'START');
    assert.equal(codeOf(await tour.send({ receiver: phone })), 'receiver_opted_out');
  });
});
