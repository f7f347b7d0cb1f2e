import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { HttpAnswer } from '../support/clients/http-client.ts';
import { command, morsel } from '../support/gateway/morsel.ts';
import { sharedGateway, type Tour, type TourOptions } from '../support/gateway/tour.ts';

/* STOP, START and the operator's list, from deliver_sm to refusal. The rules: state/decide/number/opt-out.test.ts. */

const guest = sharedGateway();
const phone = '+41791230001';
const ours = '+41790000001';

/** Makes a guest whose account gets the number, which the account of the previous test loses. */
async function owning(options: TourOptions = {}): Promise<Tour> {
  const tour = await guest(options);
  await morsel(['number', 'remove', ours], { dataDir: tour.dataDir });
  await command(tour, 'number', 'add', ours, '--account', tour.account);
  return tour;
}

/** Sends an inbound message, and waits for its acknowledgement. */
function write(tour: Tour, text: string): Promise<void> {
  return tour.simulator.sendInbound({ from: phone, to: ours.slice(1), text });
}

function codeOf(answer: HttpAnswer): unknown {
  return answer.body['code'] ?? answer.status;
}

describe('a STOP', () => {
  it('stops messages of all senders of the account until START; refused ones cost nothing, waiting ones are canceled', async () => {
    await using tour = await owning();
    await tour.event(await tour.accept({ receiver: phone }), 'delivered');
    await command(tour, 'carrier', 'pause', tour.carrierName('alpha'));
    const balance = await tour.balance();
    const waiting = await tour.accept({ receiver: phone });
    await write(tour, 'Stop!');
    await command(tour, 'carrier', 'resume', tour.carrierName('alpha'));
    assert.equal((await tour.event(waiting, 'canceled'))['errorCode'], 'receiver_opted_out');
    for (const fields of [{}, { sender: 'ACME' }, { sendAt: new Date(Date.now() + 3_600_000).toISOString() }]) {
      const refused = await tour.send({ receiver: phone, ...fields });
      assert.deepEqual([refused.status, codeOf(refused)], [422, 'receiver_opted_out'], refused.text);
      assert.match(refused.text, /opted out of messages from this account; only the receiver or the operator can undo/);
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
    assert.equal(tour.submits(phone).length, 2);
    const history = await command(tour, 'optout', 'history', '--receiver', phone);
    assert.match(history, /\n\d+ .* in +guest-1 .* wrote start .*\n\d+ .* out +guest-1 .* wrote stop /);
    assert.equal(await command(tour, 'optout', 'list', '--account', tour.account), 'no receiver has opted out\n');
  });
});

describe('the operator', () => {
  it('imports and exports opt-outs, adds and removes one, and every change is recorded', async () => {
    await using tour = await owning();
    const ofAccount = ['--account', tour.account];
    const file = join(tour.dataDir, 'stops.csv');
    writeFileSync(
      file,
      '\ufeffreceiver;sender;reason\r\n0041 79 123 00 05;;"said ""no""; twice"\r\n+41791230006;Acme;\r\n',
    );
    const why = ['--reason', 'list of our last provider'];
    await command(tour, 'optout', 'import', file, ...ofAccount, ...why);
    assert.equal(codeOf(await tour.send({ receiver: '+41791230005' })), 'receiver_opted_out');
    assert.match(
      (await tour.send({ receiver: '+41791230006', sender: 'ACME' })).text,
      /opted out of messages from Acme/,
    );
    await tour.accept({ receiver: '+41791230006' });
    const exported = await command(tour, 'optout', 'export', ...ofAccount);
    assert.match(
      exported,
      /^receiver,sender,since,by,word,reason\n\+41791230005,,\S+Z,operator,,"said ""no""; twice"\n/,
    );
    const imports = ['optout', 'import', '-', ...ofAccount, ...why];
    const again = await morsel(imports, { dataDir: tour.dataDir, input: exported });
    assert.equal(again.out, `0 receivers were added to the opt-out list of ${tour.account}; 2 were already on it\n`);
    const input = 'receiver,sender\n+41791230005,\n12,\n';
    const { status, errors } = await morsel(imports, { dataDir: tour.dataDir, input });
    assert.equal(status, 2);
    assert.match(errors, /-:3: receiver: [^]*no part of the file was used\n$/);
    const one = [...ofAccount, '--receiver', phone, '--reason'];
    await command(tour, 'optout', 'add', ...one, 'letter of 3 May');
    assert.equal(codeOf(await tour.send({ receiver: phone })), 'receiver_opted_out');
    await command(tour, 'optout', 'remove', ...one, 'asked for it');
    await tour.accept({ receiver: phone });
    const history = await command(tour, 'optout', 'history', '--receiver', phone);
    assert.match(history, / in .*: asked for it\n[^]* out .*: letter of 3 May\n/);
  });
});
