import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  commandNames,
  commands,
  encode,
  isResponseName,
  statuses,
  statusName,
  type BindName,
  type CommandName,
  type Encodable,
  type Fault,
  type Respond,
} from '@morsel/smpp';
import { unreadableHandlers } from '../../src/edge/clients/smpp/unreadable.ts';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import { Tour, unitPrice } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestClock } from '../support/test-clock.ts';
import { RawSmpp } from '../support/clients/raw-smpp.ts';

/* The answer to every command of SMPP from a client, in every state of the session and with any body. */

const password = 'Right-1';
const login = { system_id: 'acme', password, interface_version: 0x50 };

/** The fields of an acceptable request, for commands that need more than a sequence number. */
const fields: { readonly [command: string]: object } = {
  submit_sm: {
    source_addr_ton: 1,
    source_addr: '41790000001',
    dest_addr_ton: 1,
    destination_addr: '41791230001',
    short_message: Buffer.from('Hello'),
  },
  data_sm: {
    source_addr_ton: 1,
    source_addr: '41790000001',
    dest_addr_ton: 1,
    destination_addr: '41791230002',
    tlvs: [{ tag: 0x0424, value: Buffer.from('Hello') }],
  },
  submit_multi: {
    dest_addresses: [{ dest_flag: 1, dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '41791230003' }],
  },
};

const bodies = ['whole', 'empty', 'cut off', 'odd'] as const;
type Body = (typeof bodies)[number];

function octetsOf(command: CommandName, body: Body, sequence_number: number): Buffer | undefined {
  const given = { command, sequence_number, ...fields[command] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every command can be written from its number alone
  const whole = Buffer.from(encode(given as Encodable));
  if (body === 'whole') return whole;
  if (whole.length === 16) return undefined;
  // The request ends within its last mandatory field, and has no TLV.
  const mandatory = { ...given, tlvs: [] };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const bytes = Buffer.from(encode(mandatory as Encodable));
  if (body === 'odd') return withLength(Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(bytes.length - 17, 0xff)]));
  return withLength(bytes.subarray(0, body === 'empty' ? 16 : bytes.length - 1));
}

function withLength(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32BE(copy.length, 0);
  return copy;
}

function unknown(id: number, sequence_number: number): Buffer {
  const bytes = Buffer.alloc(24);
  for (const [at, value] of [24, id, 0, sequence_number].entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}

const states = ['unbound', 'bind_transmitter', 'bind_receiver', 'bind_transceiver'] as const;
type State = (typeof states)[number];

const invalidState = 'ESME_RINVBNDSTS';
const offered: readonly CommandName[] = ['submit_sm', 'data_sm', 'query_sm', 'cancel_sm'];
const others: readonly CommandName[] = [
  'submit_multi',
  'replace_sm',
  'broadcast_sm',
  'query_broadcast_sm',
  'cancel_broadcast_sm',
];
const granted: { readonly [command: string]: string } = {
  submit_sm: 'ESME_ROK',
  data_sm: 'ESME_ROK',
  query_sm: 'ESME_RQUERYFAIL',
  cancel_sm: 'ESME_RCANCELFAIL',
};

/** The expected answer, as `command status`; undefined if there is none. */
function expected(command: CommandName, state: State, body: Body): string | undefined {
  const isSender = state === 'bind_transmitter' || state === 'bind_transceiver';
  const answer = `${command}_resp`;
  if (offered.includes(command)) {
    if (!isSender) return `${answer} ${invalidState}`;
    return `${answer} ${body === 'whole' ? granted[command] : 'ESME_RINVMSGLEN'}`;
  }
  if (others.includes(command)) return `${answer} ${isSender ? 'ESME_RINVCMDID' : invalidState}`;
  // Only the gateway may send deliver_sm: from a client it is wrong in every state.
  if (command === 'deliver_sm') return `${answer} ${invalidState}`;
  if (command.startsWith('bind_')) return `${answer} ${state === 'unbound' ? 'ESME_RINVMSGLEN' : 'ESME_RALYBND'}`;
  if (command === 'enquire_link') return `${answer} ESME_ROK`;
  // These commands have no response.
  if (command === 'alert_notification' || command === 'outbind') {
    return body === 'whole' ? undefined : 'generic_nack ESME_RINVMSGLEN';
  }
  throw new Error(`${command} ${state} ${body}`);
}

/** Binds a client, which still reads after it has ended its side of the connection. */
async function boundAs(port: number, command: BindName): Promise<RawSmpp> {
  const peer = await RawSmpp.connect(port, { allowHalfOpen: true });
  peer.socket.write(encode({ command, sequence_number: 1, ...login }));
  const answer = await waitUntil('it is bound', () => peer.answers[0]);
  assert.equal(answer.command_status, 0);
  peer.answers.length = 0;
  return peer;
}

describe('every command of SMPP 3.3 to 5.0', () => {
  let tour: Tour;
  let port: number;
  before(async () => {
    tour = await Tour.open();
    const added = await operatorCalls(tour.gateway.operator).login.add({ account: 'acme', systemId: 'acme', password });
    assert.ok(added.ok);
    port = tour.gateway.smppPort ?? assert.fail('SMPP is off');
  });
  after(() => tour[Symbol.asyncDispose]());

  for (const state of states) {
    it(`gets the right answer in the state ${state}, whatever its body is`, async () => {
      const { socket, answers } = state === 'unbound' ? await RawSmpp.connect(port) : await boundAs(port, state);
      const wanted = new Map<number, string>();
      const named = new Map<number, string>();
      let sequence = 100;
      for (const command of commandNames) {
        // An accepted bind and an unbind would end the state, so they are tested elsewhere.
        if (isResponseName(command) || command === 'unbind') continue;
        for (const body of bodies) {
          if (body === 'whole' && state === 'unbound' && command.startsWith('bind_')) continue;
          const bytes = octetsOf(command, body, ++sequence);
          if (bytes === undefined) continue;
          named.set(sequence, `${command}, ${body}`);
          const answer = expected(command, state, body);
          if (answer !== undefined) wanted.set(sequence, answer);
          socket.write(bytes);
        }
      }
      for (const id of [0x0a, 0x99, 0x104, 0x1_0200]) {
        named.set(++sequence, `0x${id.toString(16)}`);
        wanted.set(sequence, 'generic_nack ESME_RINVCMDID');
        socket.write(unknown(id, sequence));
      }
      socket.write(unknown(0x80000099, ++sequence));
      socket.write(encode({ command: 'unbind', sequence_number: ++sequence }));
      wanted.set(sequence, 'unbind_resp ESME_ROK');
      await waitUntil('the unbind is answered', () => answers.some(({ command }) => command === 'unbind_resp'));
      const heard = answers
        .filter(({ command }) => isResponseName(command))
        .map(
          ({ command, command_status, sequence_number: number }) =>
            [number, `${command} ${statusName(command_status)}`] as const,
        );
      const readable = (all: Iterable<readonly [number, string]>) =>
        [...all].map(([number, answer]) => `${named.get(number) ?? 'unbind'}: ${answer}`).toSorted();
      assert.deepEqual(readable(heard), readable(wanted));
      socket.destroy();
    });
  }

  it('costs nothing but for accepted messages', async () => {
    const kept = await tour.readStore((store) => ({
      messages: store.count('select count(*) from message'),
      charged: store.count("select -sum(amount) from entry where kind = 'charge'"),
    }));
    await tour.start();
    // A submit_sm and a data_sm each of a transmitter and a transceiver.
    assert.deepEqual(kept, { messages: 4, charged: 4 * Number(unitPrice) });
  });
});

it('an unreadable request of a client is in the log once a minute, without its content', () => {
  const lines: object[] = [];
  const handlers = unreadableHandlers(
    { version: 0x34 },
    { clock: TestClock.still(), log: { warn: (given) => lines.push(given) } },
    { session: '1' },
  );
  const fault: Fault = {
    kind: 'body',
    command_status: 1,
    command_id: commands.submit_sm.id,
    sequence_number: 1,
    reason: 'submit_sm ends before short_message does',
  };
  for (let each = 0; each < 100; each++) handlers.onFault(fault, Buffer.from('secret'));
  assert.deepEqual(lines, [{ session: '1', reason: fault.reason, count: 1 }]);
  const answers: (readonly [number, string])[] = [];
  const respond: Respond = (status, given) => {
    const text = given?.tlvs?.map(({ value }) => Buffer.from(value).toString('latin1')).join() ?? '';
    return answers.push([status, text.replace(/\0$/, '')]) > 0;
  };
  for (const { id } of [commands.submit_sm, commands.submit_multi]) {
    handlers.onUnreadable({ ...fault, command_id: id }, respond, new Uint8Array());
  }
  assert.deepEqual(answers, [
    [statuses.ESME_RINVMSGLEN, fault.reason],
    [statuses.ESME_RINVCMDID, 'submit_multi is not supported: use submit_sm, data_sm, query_sm or cancel_sm'],
  ]);
});
