/* O1 under kill -9: no acknowledged inbound part is lost, and no message is made twice. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chance } from '../support/chance.ts';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { storeFaults } from '../support/store/store-faults.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const kills = Number(process.env['CRASH_KILLS'] ?? 1);
const loadMinMs = 100;
const loadMaxMs = 400;
/** Parts in flight at once, less than the window of the carrier. */
const inFlight = 8;
/** Messages whose parts are mixed. */
const mixed = 12;
const partsMax = 5;
/** In every text, and in no log. */
const mark = 'whispered';

/** An inbound message of one part or several. Its reference is not used again while parts of it may be under way. */
interface Message {
  readonly sender: string;
  readonly reference: number;
  readonly texts: readonly string[];
  readonly acknowledged: Set<number>;
}

/** A carrier that sends parts until each is acknowledged, again after every new bind. */
class Phones {
  readonly messages: Message[] = [];
  /** Parts that are not acknowledged, in the order in which they are sent. */
  readonly #waiting: (readonly [message: Message, number: number])[] = [];
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  /** Sends parts until the link ends, or all are acknowledged and no new ones are due. */
  async bring(carrier: ScriptedCarrier, isNew: boolean): Promise<void> {
    const one = async (): Promise<void> => {
      for (;;) {
        if (isNew && this.#waiting.length < mixed * partsMax) this.#write();
        const part = this.#waiting.shift();
        if (!part) return;
        if (!(await this.#give(carrier, part))) return;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  }

  async #give(carrier: ScriptedCarrier, part: readonly [Message, number]): Promise<boolean> {
    const [message, number] = part;
    const isLong = message.texts.length > 1;
    const header = Buffer.from(isLong ? [5, 0, 3, message.reference, message.texts.length, number] : []);
    if (carrier.links === 0) {
      this.#waiting.push(part);
      return false;
    }
    const answer = await carrier.session().request({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr: message.sender,
      dest_addr_ton: 1,
      destination_addr: '41791112233',
      esm_class: isLong ? 0x40 : 0,
      short_message: Buffer.concat([header, Buffer.from(message.texts[number - 1] ?? '')]),
    });
    const isTaken = answer.kind === 'answered' && answer.pdu.command_status === 0;
    if (isTaken) message.acknowledged.add(number);
    else this.#waiting.push(part);
    // Carriers sometimes send a part twice, acknowledged or not. A message of one part would count as a second message.
    if (isTaken && isLong && this.#chance.happens(0.05)) this.#waiting.push(part);
    return isTaken;
  }

  #write(): void {
    const at = this.messages.length;
    const texts = Array.from({ length: this.#chance.between(1, partsMax) }, (_, n) => `${mark} ${at}.${n + 1}; `);
    const sender = String(41_790_000_000 + Math.floor(at / 256));
    const message = { sender, reference: at % 256, texts, acknowledged: new Set<number>() };
    this.messages.push(message);
    for (const number of texts.keys()) {
      this.#waiting.splice(this.#chance.between(0, this.#waiting.length), 0, [message, number + 1]);
    }
  }
}

/**
 * Acknowledged parts that are neither waiting nor in a message, and messages that are there twice or were never sent.
 */
function faultsOf(store: StoreFile, messages: readonly Message[]): string[] {
  const made = store.texts("select text_in('inbound', account, id, content) from inbound");
  const wanted = new Map(messages.map((message) => [message.texts.join(''), message]));
  const parts = "select sender || ' ' || concatenation_reference || ' ' || concatenation_number from inbound_part";
  const waiting = new Set(store.texts(parts));
  const faults = made.filter((text) => !wanted.has(text)).map((text) => `a message of nobody: ${text}`);
  const twice = made.length - new Set(made).size;
  if (twice > 0) faults.push(`messages were made twice: ${twice}`);
  const there = new Set(made);
  for (const [text, { sender, reference, acknowledged }] of wanted) {
    if (there.has(text)) continue;
    for (const number of acknowledged) {
      const part = `+${sender} ${reference} ${number}`;
      if (!waiting.has(part)) faults.push(`acknowledged and lost: part ${part}`);
    }
  }
  return [...faults, ...storeFaults(store)];
}

it(`${kills} times kill -9 among parts from phones: each acknowledged one is there, and joins, and none is made twice (O1)`, async (t) => {
  const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 2 ** 32);
  t.diagnostic(`seed ${seed}: CRASH_SEED=${seed} makes the same parts again`);
  const chance = new Chance(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'morsel-crash-inbound-'));
  await using carrier = await ScriptedCarrier.open();
  const phones = new Phones(chance);
  const bound = () => waitUntil('the link is bound', () => carrier.links === 1, 30_000);
  for (let kill = 0; kill < kills; kill++) {
    await using gateway = await GatewayProcess.start({ dataDir, logLevel: 'trace' });
    if (kill === 0) {
      const carrierFields = { name: 'alpha', host: '127.0.0.1', port: String(carrier.port), systemId: 'us' };
      await gateway.administer('POST', '/v1/carriers', { ...carrierFields, password: 'secret' });
    }
    await bound();
    const load = phones.bring(carrier, true);
    await sleep(chance.between(loadMinMs, loadMaxMs));
    await gateway.kill();
    await load;
    await waitUntil('the link has ended', () => carrier.links === 0);
    assert.doesNotMatch(`${gateway.out}${gateway.errors}`, new RegExp(mark));
    using store = StoreFile.copyOf(dataDir);
    assert.deepEqual(faultsOf(store, phones.messages).slice(0, 5), []);
  }
  await using gateway = await GatewayProcess.start({ dataDir });
  await bound();
  await phones.bring(carrier, false);
  await gateway.stop();
  using store = StoreFile.of(dataDir);
  assert.deepEqual(faultsOf(store, phones.messages).slice(0, 5), []);
  assert.equal(store.count('select count(*) from inbound'), phones.messages.length);
  const isNew = `select count(*) from inbound_part where not exists (select 1 from inbound_joined as joined
    where (joined.sender, joined.concatenation_reference, joined.concatenation_number)
      = (inbound_part.sender, inbound_part.concatenation_reference, inbound_part.concatenation_number))`;
  assert.equal(store.count(isNew), 0, 'what waits only came again');
  const parts = phones.messages.reduce((sum, { texts }) => sum + texts.length, 0);
  t.diagnostic(JSON.stringify({ messages: phones.messages.length, parts }));
  assert.ok(parts > 20 * kills, 'a load that proves something');
  rmSync(dataDir, { recursive: true, force: true });
});
