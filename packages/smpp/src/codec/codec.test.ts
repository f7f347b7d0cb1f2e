import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { octetsOf, vectors } from '../../vectors/pdus.ts';
import { type CommandName, commandNames, commands } from './commands.ts';
import { decode } from './decode.ts';
import { encode, encodeInto } from './encode.ts';
import type { Field } from './fields.ts';
import { type Encodable, EncodeError, pduLengthMax } from './pdu.ts';

/*
 * Tests of the encoder and the decoder by byte vectors: every command, every oddity and every fault.
 */

test('every command has a vector', () => {
  const covered = new Set<CommandName>(vectors.map(({ pdu }) => pdu.command));
  assert.deepEqual(
    commandNames.filter((name) => !covered.has(name)),
    [],
  );
});

test('the vectors are encoded and decoded exactly', () => {
  for (const { hex, pdu } of vectors) {
    const octets = octetsOf(hex);
    assert.equal(Buffer.from(encode(pdu)).toString('hex'), octets.toString('hex'), pdu.command);
    const decoded = decode(octets);
    assert.ok(decoded.ok, pdu.command);
    assert.deepEqual(decoded.oddities, []);
    assert.equal(Buffer.from(encode(decoded.pdu)).toString('hex'), octets.toString('hex'));
    // The fields of the vector. Fields that it leaves out are 0 or empty.
    const expected: Record<string, unknown> = { command_status: 0, tlvs: [], ...pdu };
    for (const [name, value] of Object.entries(decoded.pdu)) {
      assert.deepEqual(plain(value), plain(expected[name] ?? emptyOf(name, pdu)), `${pdu.command} ${name}`);
    }
  }
});

test('a decoded PDU has the fields of its command in wire order', () => {
  for (const { hex } of vectors) {
    const decoded = decode(octetsOf(hex));
    assert.ok(decoded.ok);
    const fields = Object.keys(commands[decoded.pdu.command].fields);
    const names = ['command', 'command_status', 'sequence_number', ...fields, 'tlvs'];
    assert.deepEqual(Object.keys(decoded.pdu), names);
  }
});

test('an error response without fields has no body, unless it has a TLV', () => {
  const error = { command: 'submit_sm_resp', command_status: 0x45, sequence_number: 1 } as const;
  assert.equal(encode(error).length, 16);
  assert.equal(encode({ ...error, tlvs: [{ tag: 0x001d, value: new Uint8Array(1) }] }).length, 16 + 1 + 5);
  assert.equal(encode({ ...error, command_status: 0 }).length, 16 + 1);
});

test('a PDU that the standard does not allow throws, and the error names the field but not its value', () => {
  const sm = { command: 'submit_sm', sequence_number: 1 } as const;
  const multi = { command: 'submit_multi', sequence_number: 1 } as const;
  const list = { dest_flag: 2 } as const;
  const rows: readonly (readonly [string, Encodable])[] = [
    ['source_addr', { ...sm, source_addr: '1'.repeat(21) }],
    ['source_addr', { ...sm, source_addr: '12\u00003' }],
    ['service_type', { ...sm, service_type: 'SECRET' }],
    ['validity_period', { ...sm, validity_period: '000000010000000RR' }],
    ['short_message', { ...sm, short_message: new Uint8Array(256) }],
    ['esm_class', { ...sm, esm_class: 256 }],
    ['data_coding', { ...sm, data_coding: 0.5 }],
    ['sequence_number', { ...sm, sequence_number: 2 ** 32 }],
    ['command_status', { ...sm, command_status: 1.5 }],
    ['tlvs', { ...sm, tlvs: [{ tag: 65_536, value: new Uint8Array(0) }] }],
    ['tlvs', { ...sm, tlvs: [{ tag: 1, value: new Uint8Array(65_535) }] }],
    [
      'tlvs',
      { command: 'submit_sm_resp', sequence_number: 1, message_id: null, tlvs: [{ tag: 1, value: Buffer.of() }] },
    ],
    ['message_state', { command: 'query_sm_resp', sequence_number: 1, final_date: null, message_state: 1 }],
    ['password', { command: 'outbind', sequence_number: 1, password: 'x'.repeat(65) }],
    ['dest_addresses', { ...multi, dest_addresses: Array.from({ length: 256 }, () => ({ ...list, dl_name: 'x' })) }],
    ['dl_name', { ...multi, dest_addresses: [{ ...list, dl_name: 'x'.repeat(21) }] }],
  ];
  for (const [field, pdu] of rows) {
    assert.throws(
      () => encode(pdu),
      (error: unknown) =>
        error instanceof EncodeError && error.field === field && !/SECRET|RR|xx|11/.test(error.message),
      field,
    );
  }
});

test('a PDU of exactly 65,536 octets is written and read', () => {
  const value = new Uint8Array(pduLengthMax - 16 - 2 - 4 - 15);
  const bytes = encode({ command: 'submit_sm', sequence_number: 1, tlvs: [{ tag: 0x0424, value }] });
  assert.equal(bytes.length, pduLengthMax);
  assert.ok(decode(bytes).ok);
});

test('a login may be longer than the standard says', () => {
  const bytes = encode({
    command: 'bind_transceiver',
    sequence_number: 1,
    system_id: 'a'.repeat(20),
    password: 'b'.repeat(32),
  });
  const decoded = decode(bytes);
  assert.ok(decoded.ok && decoded.pdu.command === 'bind_transceiver');
  assert.equal(decoded.pdu.password, 'b'.repeat(32));
  assert.deepEqual(decoded.oddities, [
    'system_id is longer than 15 characters',
    'password is longer than 8 characters',
  ]);
});

test('deviations from the standard are read and reported as oddities', () => {
  const rows: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    // The last string of the PDU has no NUL.
    ['80000004 00000000 00000001 3432', { message_id: '42', tlvs: [] }, ['message_id has no NUL']],
    // An address of 21 characters.
    [
      `00000003 00000000 00000001 00 00 00 ${'31'.repeat(21)}00`,
      { source_addr: '1'.repeat(21) },
      ['source_addr is longer than 20 characters'],
    ],
    // Octets after the last field that are no TLV, then a TLV whose length is more than the remaining octets.
    [
      '80000004 00000000 00000001 343200 ff',
      { message_id: '42', tlvs: [], rest: 'ff' },
      ['1 octets at the end are not a TLV'],
    ],
    [
      '00000015 00000000 00000001 0427 0002 01',
      { tlvs: [], rest: '0427000201' },
      ['5 octets at the end are not a TLV'],
    ],
    [
      '00000015 00000000 00000001 0427 0001 02 0424 ffff 41',
      { tlvs: [{ tag: 0x0427, value: '02' }], rest: '0424ffff41' },
      ['5 octets at the end are not a TLV'],
    ],
    ['00000015 00000000 00000001 0427 0001 02', { tlvs: [{ tag: 0x0427, value: '02' }], rest: undefined }, []],
    // A response that ends before its fields do.
    [
      '80000003 00000000 00000001 343200 00 02',
      { message_id: '42', final_date: '', message_state: 2, error_code: null },
      ['query_sm_resp ends before error_code does'],
    ],
    ['80000003 00000000 00000001', { message_id: null, final_date: null, message_state: null, error_code: null }, []],
    [
      '80000021 00000000 00000001 3100 02 01 01 343600 0000000b 01 01',
      {
        unsuccess_smes: [{ dest_addr_ton: 1, dest_addr_npi: 1, destination_addr: '46', error_status_code: 11 }],
        tlvs: [],
      },
      ['unsuccess_sme has 1 of 2 entries'],
    ],
    // A system_id with an umlaut is read as Latin-1. The sequence numbers 0 and over 0x7FFFFFFF are read unchanged.
    ['0000000b 00000000 00000000 f6 00 00', { system_id: 'ö', sequence_number: 0 }, []],
    ['00000015 00000000 ffffffff', { sequence_number: 0xffffffff }, []],
    // An unknown TLV and a TLV that occurs twice are kept in order.
    [
      '00000015 00000000 00000001 1401 0001 61 0427 0000 1401 0000',
      {
        tlvs: [
          { tag: 0x1401, value: '61' },
          { tag: 0x0427, value: '' },
          { tag: 0x1401, value: '' },
        ],
      },
      [],
    ],
  ];
  for (const [hex, fields, oddities] of rows) {
    const decoded = decode(withLength(hex));
    assert.ok(decoded.ok, hex);
    assert.deepEqual(decoded.oddities, oddities, hex);
    const values: Record<string, unknown> = decoded.pdu;
    for (const [name, value] of Object.entries(fields)) assert.deepEqual(plain(values[name]), value, `${hex} ${name}`);
  }
});

test('a hostile PDU gives at most a few oddities', () => {
  const lists = `80000021 00000000 00000001 00 ff ${`00 00 ${'41'.repeat(30)} 00 00000001`.repeat(255)}`;
  const decoded = decode(withLength(lists));
  assert.ok(decoded.ok);
  assert.equal(decoded.oddities.length, 8);
});

test('an unreadable PDU is a fault with the command_status for the answer', () => {
  const rows: readonly (readonly [Buffer, object])[] = [
    [octetsOf(''), { kind: 'command_length', command_status: 2, command_id: 0, sequence_number: 0 }],
    [octetsOf('0000000f 00000015 00000000 000000'), { kind: 'command_length', command_status: 2, sequence_number: 0 }],
    [octetsOf('00000011 00000015 00000000 00000007'), { kind: 'command_length', command_id: 0x15, sequence_number: 7 }],
    [octetsOf('00000010 00000015 00000000 00000007 00'), { kind: 'command_length', sequence_number: 7 }],
    [withLength('0000000a 00000000 00000007'), { kind: 'command_id', command_status: 3, sequence_number: 7 }],
    [withLength('80000102 00000000 00000007'), { kind: 'command_id', command_id: 0x80000102 }],
    [withLength('00000004 00000000 00000007'), { kind: 'body', command_status: 1, command_id: 4, sequence_number: 7 }],
    // sm_length says three octets, but the body has two.
    [withLength(`00000005 00000000 00000007 ${'00'.repeat(16)} 03 4869`), { kind: 'body' }],
    // A dest_flag of 3, then a list that ends early.
    [withLength(`00000021 00000000 00000007 00 00 00 00 01 03 00 ${'00'.repeat(10)}`), { kind: 'body' }],
    [withLength('00000021 00000000 00000007 00 00 00 00 02 02 6100'), { kind: 'body' }],
  ];
  for (const [bytes, expected] of rows) {
    const decoded = decode(bytes);
    assert.ok(!decoded.ok, bytes.toString('hex'));
    assert.deepEqual({ ...decoded.fault, ...expected }, decoded.fault);
    assert.match(decoded.fault.reason, /^[ -~]{10,80}$/);
  }
});

test('encodeInto writes PDUs one after the other until the buffer is full', () => {
  const pdu: Encodable = { command: 'submit_sm_resp', sequence_number: 1, message_id: '42' };
  for (const size of [40, 200_000]) {
    const target = Buffer.alloc(size);
    const first = encodeInto(target, 0, pdu);
    const second = encodeInto(target, first, pdu);
    assert.deepEqual([first, second], [19, 19]);
    assert.deepEqual(target.subarray(0, 38), Buffer.concat([encode(pdu), encode(pdu)]));
    assert.equal(encodeInto(target, size - 18, pdu), 0);
    assert.equal(encodeInto(target, size - 19, pdu), 19);
  }
});

test('decode is the inverse of encode for any PDU of any command', () => {
  for (const command of commandNames) {
    fc.assert(
      fc.property(anyPdu(command), (pdu) => {
        const decoded = decode(encode(pdu));
        assert.ok(decoded.ok);
        assert.deepEqual(decoded.oddities, []);
        assert.deepEqual(plain(decoded.pdu), plain(pdu));
      }),
      { numRuns: 100 },
    );
  }
});

test('a response that ends before any of its fields is decoded and encoded unchanged', () => {
  const command = 'query_sm_resp';
  const fields = Object.keys(commands[command].fields);
  fc.assert(
    fc.property(anyPdu(command), fc.nat(fields.length), (pdu, kept) => {
      const cut = { ...pdu, ...Object.fromEntries(fields.slice(kept).map((name) => [name, null])) };
      if (kept < fields.length) Object.assign(cut, { tlvs: [] });
      const decoded = decode(encode(cut));
      assert.ok(decoded.ok);
      assert.deepEqual(plain(decoded.pdu), plain(cut));
    }),
  );
});

/** Writes octets as hexadecimal, so that a view, a copy and a Buffer compare equal. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** The value of a field that a vector leaves out: `null` for the vector of a response without a body. */
function emptyOf(name: string, pdu: Encodable): unknown {
  if (Object.values(pdu).includes(null)) return null;
  const fields: Readonly<Record<string, Field>> = commands[pdu.command].fields;
  const empty = { cstring: '', octets: Buffer.alloc(0), int1: 0, dest_addresses: [], unsuccess_smes: [] };
  const field = fields[name];
  return field === undefined ? [] : empty[field.kind];
}

/** Adds the right command_length to a PDU. */
function withLength(hex: string): Buffer {
  const rest = octetsOf(hex);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(rest.length + 4);
  return Buffer.concat([length, rest]);
}

const int4 = fc.nat(0xffffffff);

function anyPdu(command: CommandName): fc.Arbitrary<Encodable> {
  const fields = Object.entries<Field>(commands[command].fields).map(
    ([name, field]) => [name, anyValue(field)] as const,
  );
  const tlv = fc.record({ tag: fc.nat(0xffff), value: fc.uint8Array({ maxLength: 20 }) });
  const record = fc.record({
    command: fc.constant(command),
    command_status: int4,
    sequence_number: int4,
    ...Object.fromEntries(fields),
    tlvs: fc.array(tlv, { maxLength: 4 }),
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of the command table, as the type is
  return record as fc.Arbitrary<Encodable>;
}

function anyValue(field: Field): fc.Arbitrary<unknown> {
  const address = { dest_addr_ton: fc.nat(255), dest_addr_npi: fc.nat(255), destination_addr: anyString(20) };
  switch (field.kind) {
    case 'cstring':
      return anyString(field.max - 1);
    case 'octets':
      return fc.uint8Array({ maxLength: field.max });
    case 'dest_addresses':
      return fc.array(
        fc.oneof(
          fc.record({ dest_flag: fc.constant(1), ...address }),
          fc.record({ dest_flag: fc.constant(2), dl_name: anyString(20) }),
        ),
        { maxLength: 255 },
      );
    case 'unsuccess_smes':
      return fc.array(fc.record({ ...address, error_status_code: int4 }), { maxLength: 255 });
    default:
      return fc.nat(255);
  }
}

function anyString(maxLength: number): fc.Arbitrary<string> {
  return fc.uint8Array({ min: 1, maxLength }).map((octets) => Buffer.from(octets).toString('latin1'));
}
