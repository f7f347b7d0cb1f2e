import assert from 'node:assert/strict';
import { it } from 'node:test';
import { buildHeader, concatenation } from '@morsel/gsm';
import {
  commands,
  connect,
  decode,
  encode,
  isRequestName,
  tlvTable,
  type EncodableOf,
  type Pdu,
  type PduOf,
  type RequestName,
  type Respond,
} from '@morsel/smpp';
import * as fc from 'fast-check';
import { answerRequest } from '../../src/edge/clients/smpp/requests.ts';
import { admitLogin, openSessions } from '../support/clients/smpp-client.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Any request of a client gets one answer, causes no crash, and charges nothing unless the answer's status is 0. */

const octet = fc.nat(0xff);
const mostly = <T>(usual: T, any: fc.Arbitrary<T>) => fc.oneof({ weight: 40, arbitrary: fc.constant(usual) }, any);
const latin1 = (maxLength: number) =>
  fc.uint8Array({ min: 1, maxLength }).map((octets) => Buffer.from(octets).toString('latin1'));
const time = fc.oneof(
  fc.constantFrom('000000010000000R', '000003000000000R', '991231235959900+', '260230000000000+'),
  latin1(16),
);
const header = fc
  .tuple(fc.constantFrom(8 as const, 16 as const), fc.integer({ min: 1, max: 5 }), fc.uint8Array({ maxLength: 160 }))
  .map(([bits, number, rest]) =>
    Uint8Array.from([...buildHeader([concatenation({ bits, reference: 9, total: 5, number })]), ...rest]),
  );
const text = fc.oneof(
  fc.string({ maxLength: 160 }).map((each) => Uint8Array.from(Buffer.from(each, 'latin1'))),
  fc.uint8Array({ maxLength: 255 }),
  header,
);
const tlv = fc.record({
  tag: fc.oneof(fc.constantFrom(...Object.values(tlvTable).map(({ tag }) => tag)), fc.nat(0xffff)),
  value: fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 400 })),
});

/** A submit_sm with mostly ordinary fields; any field may have any value. */
const submitSm: fc.Arbitrary<EncodableOf<'submit_sm'>> = fc.record({
  command: fc.constant('submit_sm' as const),
  sequence_number: fc.constant(1),
  service_type: mostly('', latin1(5)),
  source_addr_ton: mostly(1, octet),
  source_addr_npi: mostly(1, octet),
  source_addr: mostly('41790000001', latin1(20)),
  dest_addr_ton: mostly(1, octet),
  dest_addr_npi: mostly(1, octet),
  destination_addr: mostly('41791230001', latin1(20)),
  esm_class: mostly(0, fc.oneof(fc.constant(0x40), octet)),
  protocol_id: mostly(0, octet),
  priority_flag: mostly(0, octet),
  schedule_delivery_time: mostly('', time),
  validity_period: mostly('', time),
  registered_delivery: mostly(1, octet),
  replace_if_present_flag: mostly(0, octet),
  data_coding: fc.oneof(fc.constantFrom(0, 1, 3, 4, 8, 0x10, 0xf5), octet),
  sm_default_msg_id: mostly(0, octet),
  short_message: text,
  tlvs: fc.array(tlv, { maxLength: 3 }),
});

/** The octets of any request, as encoded or with some of them changed. */
const octets = fc
  .tuple(
    fc.oneof({ weight: 8, arbitrary: submitSm.map(encode) }, otherRequest()),
    fc.array(fc.tuple(fc.nat(), octet), { maxLength: 2 }),
  )
  .map(([bytes, changes]) => {
    const changed = Uint8Array.from(bytes);
    for (const [at, value] of changes) changed[16 + (at % (bytes.length - 16))] = value;
    return changed;
  });

function otherRequest(): fc.Arbitrary<Uint8Array> {
  const command = fc.constantFrom('query_sm' as const, 'cancel_sm' as const, 'data_sm' as const, 'replace_sm' as const);
  return fc
    .tuple(command, fc.record({ message_id: latin1(64), source_addr: latin1(20) }), fc.array(tlv, { maxLength: 3 }))
    .map(([name, fields, tlvs]) => {
      const known = Object.entries(fields).filter(([field]) => field in commands[name].fields);
      return encode({ command: name, sequence_number: 1, ...Object.fromEntries(known), tlvs });
    });
}

it('any request is answered once, and only a message answered with 0 is stored and charged (A1, A2)', async () => {
  // With a carrier that takes every TLV, vendor TLVs are no reason to refuse.
  const carriers = [{ name: 'alpha', prefix: '41', passTlvs: 'any' }];
  await using tour = await Tour.open({ account: { balance: '100000' }, carriers });
  await using sessions = await openSessions(tour.gateway);
  const bind = { command: 'bind_transceiver', system_id: 'acme', password: 'secret' } as const;
  const session = await connect({ host: '127.0.0.1', port: sessions.port, bind, onRequest: (_pdu, ok) => void ok(0) });
  const [account] = tour.gateway.operator.snapshot().accounts.values();
  assert.ok(account);
  // The system_id of this session, whose other end is our own server.
  await admitLogin(tour.gateway, account.name, 'morsel');
  const from = { account: () => account, session, id: '1', submits: { accepted: 0, refused: 0 } };
  const logged: unknown[] = [];
  const api = { ...tour.gateway.session, log: { error: (fields: unknown) => logged.push(fields) } };
  const accepted: string[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(octets, { minLength: 1, maxLength: 20 }), async (all) => {
      const answers: (string | number)[][] = [];
      for (const bytes of all) {
        const pdu = requestIn(bytes);
        if (!pdu) continue;
        const given: (string | number)[] = [];
        answers.push(given);
        const respond: Respond = (status, fields) => {
          given.push(status, fields?.message_id ?? '');
          if (status === 0 && isSubmission(pdu.command)) accepted.push(fields?.message_id ?? '');
          // This throws if the answer cannot be encoded.
          encode({ command: 'submit_sm_resp', sequence_number: 1, command_status: status, tlvs: fields?.tlvs ?? [] });
          return true;
        };
        answerRequest(api, from, { pdu, respond });
      }
      await waitUntil('all are answered', () => answers.every((given) => given.length > 0));
      assert.ok(answers.every((given) => given.length === 2));
    }),
    { numRuns: 150 },
  );
  session.destroy();
  assert.deepEqual(logged, []);
  assert.ok(accepted.length > 50, `${accepted.length} of them were taken`);
  await sessions.close();
  const { kept, charged, costs } = await tour.readStore((store) => ({
    kept: store.texts('select id from message order by id'),
    charged: store.count("select coalesce(-sum(amount), 0) from entry where kind = 'charge'"),
    costs: store.count('select coalesce(sum(total_cost), 0) from message'),
  }));
  assert.deepEqual(kept, accepted.toSorted());
  assert.equal(charged, costs);
});

/** The request in these octets. An unreadable request is undefined: the session answers it itself. */
function requestIn(bytes: Uint8Array): PduOf<RequestName> | undefined {
  const decoded = decode(bytes);
  if (!decoded.ok || !isRequest(decoded.pdu)) return undefined;
  return decoded.pdu;
}

function isRequest(pdu: Pdu): pdu is PduOf<RequestName> {
  return isRequestName(pdu.command);
}

function isSubmission(command: RequestName): boolean {
  return command === 'submit_sm' || command === 'data_sm';
}
