/* The carrier and the clients of inbound messages and receipts in crash tests, and the comparison of their records. */

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { statuses } from '@morsel/smpp';
import type { Chance } from '../support/chance.ts';
import type { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { listenAnywhere, portOf } from '../support/listen.ts';
import { receiptFor, ScriptedCarrier } from '../support/carriers/scripted-carrier.ts';
import { SmppClient, type Delivered } from '../support/clients/smpp-client.ts';
import { storeFaults } from '../support/store/rules/store-faults.ts';
import type { StoreFile } from '../support/store/store-file.ts';

/** The number of unanswered requests of each kind, smaller than every window. */
const inFlight = 4;
/** The number of messages that are sent at the same time, with their parts mixed. */
const mixed = 12;
const partsMax = 5;
/** The number of an account with sessions, and the number of an account with a webhook. */
const numbers = ['41791112233', '41791112244'] as const;
/** The receiver of all messages that the client sends over its session. */
export const submitReceiver = '41791230002';

/** An inbound message of one or more parts. No other message gets its reference while parts of it may be under way. */
interface Message {
  readonly from: string;
  readonly to: string;
  readonly reference: number;
  readonly texts: readonly string[];
  readonly acknowledged: Set<number>;
}

/** A request that the webhook got. */
interface Told {
  readonly webhookId: string;
  readonly msgId: string;
  readonly text: string;
}

/** The phones behind a carrier: sends parts until each is acknowledged, again after every new bind. */
class Phones {
  readonly messages: Message[] = [];
  /** Parts without an acknowledgement, in the order of sending. */
  readonly #waiting: (readonly [message: Message, number: number])[] = [];
  readonly #chance: Chance;
  readonly #pauseMs: number;

  constructor(chance: Chance, pauseMs: number) {
    this.#chance = chance;
    this.#pauseMs = pauseMs;
  }

  get acknowledged(): number {
    return this.messages.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  }

  /** Sends parts until the link ends, or until all are acknowledged. If `isNew` is true, makes new messages, too. */
  async bring(carrier: ScriptedCarrier, isNew: boolean, isOver = () => false): Promise<void> {
    const one = async (): Promise<void> => {
      while (!isOver()) {
        if (isNew && this.#waiting.length < mixed * partsMax) this.#write();
        const part = this.#waiting.shift();
        if (!part) return;
        if (!(await this.#give(carrier, part))) return;
        if (this.#pauseMs > 0) await sleep(this.#pauseMs);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  }

  async #give(carrier: ScriptedCarrier, part: readonly [Message, number]): Promise<boolean> {
    const [message, number] = part;
    const isLong = message.texts.length > 1;
    const header = Buffer.from(isLong ? [5, 0, 3, message.reference, message.texts.length, number] : []);
    // Receipts need room in the same window.
    while (carrier.links > 0 && carrier.session().room === 0) await sleep(20);
    if (carrier.links === 0) {
      this.#waiting.push(part);
      return false;
    }
    const answer = await carrier.session().request({
      command: 'deliver_sm',
      source_addr_ton: 1,
      source_addr: message.from,
      dest_addr_ton: 1,
      destination_addr: message.to,
      esm_class: isLong ? 0x40 : 0,
      short_message: Buffer.concat([header, Buffer.from(message.texts[number - 1] ?? '')]),
    });
    const isTaken = answer.kind === 'answered' && answer.pdu.command_status === 0;
    if (isTaken) message.acknowledged.add(number);
    else this.#waiting.push(part);
    // Carriers sometimes repeat a part, acknowledged or not. A repeated message of one part would be a second message.
    if (isTaken && isLong && this.#chance.happens(0.05)) this.#waiting.push(part);
    return isTaken;
  }

  #write(): void {
    const at = this.messages.length;
    const texts = Array.from({ length: this.#chance.between(1, partsMax) }, (_, n) => `text ${at}.${n + 1}; `);
    const from = String(41_790_000_000 + Math.floor(at / 256));
    const message = {
      from,
      to: this.#chance.pick(numbers),
      reference: at % 256,
      texts,
      acknowledged: new Set<number>(),
    };
    this.messages.push(message);
    for (const number of texts.keys()) {
      this.#waiting.splice(this.#chance.between(0, this.#waiting.length), 0, [message, number + 1]);
    }
  }
}

/** The carrier and the clients, with their records. */
export class InboundWorld implements AsyncDisposable {
  readonly carrier: ScriptedCarrier;
  readonly phones: Phones;
  /** The ids that the client with sessions got for its submit_sm. */
  readonly submitted = new Set<string>();
  readonly heard: Delivered[] = [];
  readonly told: Told[] = [];
  /** Faults that a test switches on and off: the carrier throttles, and the webhook breaks connections. */
  isThrottling = false;
  isWebhookDown = false;
  readonly #pauseMs: number;
  readonly #ending = new AbortController();
  #taken = 0;
  /** The webhook. It answers after a moment, so that a kill finds requests without an answer. */
  readonly #site = createServer((request, response) => {
    if (this.isWebhookDown) {
      request.socket.destroy();
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      const { msgId, text }: Omit<Told, 'webhookId'> = JSON.parse(body);
      this.told.push({ webhookId: String(request.headers['webhook-id']), msgId, text });
      setTimeout(() => response.writeHead(204).end(), 3);
    });
  });

  private constructor(carrier: ScriptedCarrier, chance: Chance, pauseMs: number) {
    this.carrier = carrier;
    this.#pauseMs = pauseMs;
    this.phones = new Phones(chance, pauseMs);
  }

  /** Each of the phones and of the client's requests pauses so long after an answer. */
  static async open(chance: Chance, pauseMs = 0): Promise<InboundWorld> {
    const world = new InboundWorld(await ScriptedCarrier.open(), chance, pauseMs);
    await listenAnywhere(world.#site);
    return world;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#site)}/sms`;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Answers each submit_sm as the carrier, and sends its receipt until the gateway acknowledges it. */
  async serve(): Promise<void> {
    const receipts: Promise<void>[] = [];
    while (!this.signal.aborted) {
      const held = this.carrier.held[this.#taken];
      if (!held) {
        await sleep(5);
        continue;
      }
      this.#taken += 1;
      if (this.isThrottling) {
        held.respond(statuses.ESME_RTHROTTLED);
        continue;
      }
      const id = `carrier-${this.#taken}`;
      if (held.respond(0, { message_id: id })) receipts.push(this.#receipt(receiptFor(held.pdu, id)));
    }
    await Promise.all(receipts);
  }

  async #receipt(pdu: ReturnType<typeof receiptFor>): Promise<void> {
    while (!this.signal.aborted) {
      const session = this.carrier.links > 0 ? this.carrier.session() : undefined;
      if (session && session.room > 0) {
        const answer = await session.request(pdu);
        if (answer.kind === 'answered' && answer.pdu.command_status === 0) return;
      }
      await sleep(20);
    }
  }

  /** Binds two sessions, which also acknowledge after a moment. Returns the one that can submit. */
  async bind(port: number): Promise<SmppClient> {
    const options = { port, delayMs: 3, delivered: this.heard } as const;
    const [ear] = await Promise.all([SmppClient.bind(options), SmppClient.bind({ ...options, bind: 'bind_receiver' })]);
    return ear;
  }

  async submit({ session }: SmppClient, isOver = () => this.signal.aborted): Promise<void> {
    const one = async (): Promise<void> => {
      while (!isOver()) {
        const answer = await session.request({
          command: 'submit_sm',
          source_addr_ton: 1,
          source_addr: numbers[0],
          dest_addr_ton: 1,
          destination_addr: submitReceiver,
          registered_delivery: 1,
          short_message: Buffer.from('Hello'),
        });
        if (answer.kind !== 'answered') return;
        const { pdu } = answer;
        if (pdu.command === 'submit_sm_resp' && pdu.command_status === 0) this.submitted.add(pdu.message_id ?? '');
        if (this.#pauseMs > 0) await sleep(this.#pauseMs);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.carrier[Symbol.asyncDispose]();
    this.#site.close();
    this.#site.closeAllConnections();
  }
}

const inboundSql = "select id, text_in('inbound', account, id, content) as text from inbound";

/** Finds acknowledged parts that neither wait nor are in a message, and messages made twice or never sent. */
export function lossesOf(store: StoreFile, messages: readonly Message[]): string[] {
  const made = store.rows(inboundSql).map((row) => row.text('text'));
  const wanted = new Map(messages.map((message) => [message.texts.join(''), message]));
  const parts = "select sender || ' ' || concatenation_reference || ' ' || concatenation_number from inbound_part";
  const waiting = new Set(store.texts(parts));
  const faults = made.filter((text) => !wanted.has(text)).map((text) => `a message of nobody: ${text}`);
  const there = new Set(made);
  if (there.size < made.length) faults.push(`messages were made twice: ${made.length - there.size}`);
  for (const [text, { from, reference, acknowledged }] of wanted) {
    if (there.has(text)) continue;
    for (const number of acknowledged) {
      const part = `+${from} ${reference} ${number}`;
      if (!waiting.has(part)) faults.push(`O1: acknowledged and lost: part ${part}`);
    }
  }
  return [...faults, ...storeFaults(store)];
}

/** Finds messages and receipts that did not reach their client, or reached it under two ids. */
export function deliveryFaults(store: StoreFile, { heard, told, submitted }: InboundWorld): string[] {
  const inbound = new Map(store.rows(inboundSql).map((row) => [String(row.integer('id')), row.text('text')]));
  const messages = [...heard.filter(({ receipt }) => receipt === undefined), ...told];
  const faults = messages
    .filter(({ msgId, text }) => inbound.get(msgId) !== text)
    .map(({ msgId, text }) => `an id that is not its own: ${msgId} ${text}`);
  const ids = new Set(messages.map(({ msgId }) => msgId));
  for (const id of inbound.keys()) if (!ids.has(id)) faults.push(`O2: ${id} was never told`);
  const webhookIds = new Map<string, string>();
  for (const { webhookId, msgId } of told) {
    const first = webhookIds.get(msgId) ?? webhookId;
    webhookIds.set(msgId, first);
    if (first !== webhookId) faults.push(`${msgId} under two ids: ${first} and ${webhookId}`);
  }
  const receipts = new Set(heard.filter(({ receipt, status }) => receipt && status === 0).map(({ msgId }) => msgId));
  for (const id of submitted) if (!receipts.has(id)) faults.push(`D6: no receipt for ${id}`);
  return faults;
}

/** Adds the carrier, an account with sessions and an account with a webhook. */
export async function setUpInbound(gateway: GatewayProcess, { carrier: { port }, url }: InboundWorld): Promise<void> {
  await gateway.addCarrier({ name: 'alpha', prefix: '41', port, inDoubt: 'fail' });
  await gateway.addAccount({ name: 'acme', balance: '100000', smppWindow: '20' });
  await gateway.administer('POST', '/v1/accounts', { name: 'site', currency: 'EUR' });
  await gateway.administer('POST', '/v1/numbers', { number: `+${numbers[0]}`, account: 'acme' });
  await gateway.administer('POST', '/v1/numbers', { number: `+${numbers[1]}`, account: 'site' });
  await gateway.administer('POST', '/v1/accounts/acme/logins', { systemId: 'acme', password: 'Right-1' });
  await gateway.administer('POST', '/v1/webhooks', { account: 'site', url, allow: '127.0.0.0/8' });
}
