/* Clients of a simulation over SMPP. They bind with the logins of their accounts, and keep what their sessions got. */

import { Socket } from 'node:net';
import {
  readReceipt,
  statuses,
  statusName,
  writeTlv,
  type Ask,
  type BindName,
  type Pdu,
  type PduOf,
} from '@morsel/smpp';
import { parseMessageId } from '../../../src/core/base/message-id.ts';
import type { CommandOf } from '../../../src/state/commands.ts';
import { operate } from '../../support/store/operate.ts';
import { ClientSession, copyOf } from './client-session.ts';
import type { Clients, Outcome, Sent } from './clients.ts';
import { quickHash } from '../edge.ts';
import type { SimNode } from '../node.ts';
import { accountNames } from '../operators/other-operations.ts';
import { receiverOf, textOf } from './requests.ts';
import type { World } from '../world.ts';

/** How the clients behave: shares from 0 to 1. */
interface Character {
  /** Deliveries that a client takes, but does not answer in time. */
  readonly silent: number;
  /** Deliveries that a client refuses for now. */
  readonly later: number;
  readonly breaksEveryMs: number;
}

/** What a session got. */
export interface Got {
  readonly at: number;
  readonly account: number;
  /** The id of the message in a receipt; undefined for an inbound message. */
  readonly id: string | undefined;
  /** The state in a receipt, or the text. */
  readonly text: string;
  /** Whether the client answered that it has it. */
  readonly isTaken: boolean;
}

interface SmppNeeds {
  readonly world: World;
  readonly node: () => SimNode | undefined;
  readonly clients: Clients;
}

/** The accounts whose clients also bind, each with a login of its name. */
const boundAccounts = [1, 3];
const smppPassword = 'Right-1';

const bindAgainMaxMs = 20_000;
const binds = ['bind_transceiver', 'bind_transceiver', 'bind_transmitter', 'bind_receiver'] as const;
const fiveMinutes = '000000000500000R';

/** The commands that add the logins. */
export function clientLogins(at: number): CommandOf<'operate'>[] {
  const made = { secret: smppPassword, hash: quickHash(smppPassword), suffix: '' };
  return boundAccounts.map((id) => operate('login.add', { account: accountNames[id - 1] ?? '' }, { at, made }));
}

export class SmppClients {
  readonly got: Got[] = [];
  readonly #needs: SmppNeeds;
  readonly #character: Character;
  readonly #sessions = new Map<number, Set<ClientSession>>(boundAccounts.map((account) => [account, new Set()]));
  #isCalm = false;

  constructor(needs: SmppNeeds) {
    this.#needs = needs;
    const { chance } = needs.world;
    const share = (most: number) => (chance.happens(0.5) ? chance.next() * most : 0);
    this.#character = {
      silent: share(0.1),
      later: share(0.3),
      breaksEveryMs: chance.happens(0.5) ? chance.between(10_000, 100_000) : Infinity,
    };
  }

  /** Draws what the clients do until this time. */
  draw(untilMs: number): void {
    const { world } = this.#needs;
    const { chance } = world;
    if (!chance.happens(0.6)) return;
    for (const account of boundAccounts) {
      for (let sessions = chance.between(1, 2); sessions > 0; sessions--) {
        world.plan(chance.between(0, untilMs / 2), () => this.#bind(account));
      }
    }
    for (let sends = chance.between(1, 20); sends > 0; sends--) {
      world.plan(chance.between(0, untilMs), () => this.#send());
    }
    for (let leaves = chance.between(0, 2); leaves > 0; leaves--) {
      world.plan(chance.between(0, untilMs), () => this.#someSession()?.[1].leave());
    }
  }

  /** From now on, nothing goes wrong any more, and each account has a session that receives. */
  calm(): void {
    this.#isCalm = true;
    for (const [account, sessions] of this.#sessions) {
      if (![...sessions].some(({ boundAs }) => boundAs !== 'bind_transmitter')) this.#bind(account);
    }
  }

  #bind(account: number): void {
    const { world } = this.#needs;
    const { chance } = world;
    const node = this.#needs.node();
    const again = () => world.soon(1_000, bindAgainMaxMs, () => this.#bind(account));
    if (!node) {
      again();
      return;
    }
    const isWrong = !this.#isCalm && chance.happens(0.1);
    const bind = copyOf<BindName>({
      command: this.#isCalm ? 'bind_transceiver' : chance.pick(binds),
      sequence_number: 1,
      system_id: accountNames[account - 1] ?? '',
      password: isWrong ? 'Wrong-1' : smppPassword,
    });
    const session = new ClientSession(world, { bind, hear: (pdu) => this.#hear(account, pdu) });
    let isDecided = false;
    node.whenCrashed(() => {
      if (isDecided) session.crash();
      else again();
    });
    void node.edge.admissions.decide({ bind, address: session.peer.address, port: 1 }, false).then((admission) => {
      if (!node.clock.isAlive) return;
      isDecided = true;
      world.tell(`client: the bind of ${bind.system_id} is ${admission.kind}`);
      if (admission.kind === 'refused') {
        again();
        return;
      }
      const all = this.#sessions.get(account);
      all?.add(session);
      session.begin(admission.handlers(session, new Socket()), admission.limits ?? {});
      void session.closed.then((reason) => {
        world.tell(`client: a session of ${bind.system_id} ends: ${reason}`);
        all?.delete(session);
        again();
      });
      const { breaksEveryMs } = this.#character;
      if (breaksEveryMs === Infinity) return;
      world.after(-Math.log(1 - chance.next()) * breaksEveryMs, () => {
        if (!this.#isCalm) session.break();
      });
    });
  }

  /** Answers a delivery. */
  #hear(account: number, pdu: PduOf<'deliver_sm'>): number | undefined {
    const { chance, nowMs } = this.#needs.world;
    const { silent, later } = this.#character;
    const receipt = readReceipt(pdu);
    const status =
      !this.#isCalm && chance.happens(later) ? chance.pick([statuses.ESME_RMSGQFUL, statuses.ESME_RX_T_APPN]) : 0;
    const text = receipt ? String(receipt.state) : Buffer.from(pdu.short_message).toString('latin1');
    this.got.push({ at: nowMs, account, id: receipt?.id, text, isTaken: status === 0 });
    return !this.#isCalm && chance.happens(silent) ? undefined : status;
  }

  #someSession(): [number, ClientSession] | undefined {
    const open = [...this.#sessions].flatMap(([account, sessions]) =>
      [...sessions].filter(({ room }) => room > 0).map((session): [number, ClientSession] => [account, session]),
    );
    return open.length === 0 ? undefined : this.#needs.world.chance.pick(open);
  }

  #send(): void {
    const { world, clients } = this.#needs;
    const { chance } = world;
    const [account, session] = this.#someSession() ?? [];
    if (account === undefined || !session || session.boundAs === 'bind_receiver') return;
    const number = clients.sent.length + 1;
    const isLong = chance.happens(0.15);
    const { text } = textOf(chance, number, isLong ? 2 : 1, true);
    const octets = Buffer.from(text, 'latin1');
    // Two texts are refused.
    const isOdd = chance.happens(0.05);
    const isUrgent = chance.happens(0.2);
    const receipts = chance.pick([0, 1, 1, 2, 3]);
    const message: Sent = {
      number,
      account,
      source: 'smpp',
      sender: '+41791112233',
      text,
      dcs: 'GSM',
      receiver: receiverOf(number),
      validityMs: 300_000,
      priority: isUrgent ? 'high' : undefined,
      scheduledFor: undefined,
      key: undefined,
      sentAt: world.nowMs,
      receipts,
      outcomes: [],
      events: [],
      cancels: [],
    };
    clients.sent.push(message);
    const request: Ask = {
      command: 'submit_sm',
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: message.sender.slice(1),
      dest_addr_ton: 1,
      dest_addr_npi: 1,
      destination_addr: message.receiver.slice(1),
      registered_delivery: receipts,
      priority_flag: message.priority ? 1 : 0,
      validity_period: fiveMinutes,
      short_message: isLong && !isOdd ? new Uint8Array() : octets.subarray(0, 100),
      ...((isLong || isOdd) && { tlvs: [writeTlv('message_payload', octets)] }),
    };
    const { commits } = world;
    session.send(request, (answer) => {
      const outcome = outcomeOf(answer);
      world.tell(`client: message ${number} is ${outcome.kind} over SMPP`);
      message.outcomes.push({ ...outcome, at: world.nowMs, isAfterCommit: world.commits > commits });
      if (outcome.kind === 'taken' && chance.happens(0.2)) this.#cancel(message, session, String(outcome.id));
    });
  }

  #cancel(message: Sent, session: ClientSession, message_id: string): void {
    const { world } = this.#needs;
    const canceling = { at: world.nowMs, account: message.account, outcome: 'lost' };
    message.cancels.push(canceling);
    world.soon(0, 5_000, () => {
      if (session.room <= 0) return;
      session.send({ command: 'query_sm', message_id }, () => undefined);
      session.send({ command: 'cancel_sm', message_id }, (answer) => {
        const status = answer?.command === 'cancel_sm_resp' ? answer.command_status : undefined;
        if (status !== undefined) canceling.outcome = status === 0 ? 'canceled' : statusName(status);
      });
    });
  }
}

function outcomeOf(answer: Pdu | undefined): Outcome {
  if (answer?.command !== 'submit_sm_resp') return { kind: 'lost' };
  const id = parseMessageId(answer.message_id ?? '');
  if (answer.command_status !== 0) return { kind: 'refused', rejection: { code: statusName(answer.command_status) } };
  if (id === undefined) throw new Error('an accepted message has no id');
  return { kind: 'taken', id };
}
