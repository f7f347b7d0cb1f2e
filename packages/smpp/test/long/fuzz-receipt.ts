import {
  type MessageState,
  type PduOf,
  type Receipt,
  type Tlv,
  decode,
  encode,
  messageStateTable,
  tlvTable,
} from '../../src/index.ts';
import { type Chance, pick } from './chance.ts';
import { wound } from './mutate.ts';
import type { Seeds } from './seeds.ts';
import { type Target, Finding, holds } from './target.ts';

/*
 * The properties of the receipt reader that the fuzzer checks for each input.
 */

type Deliver = PduOf<'deliver_sm'>;
export type ReadReceipt = (pdu: Deliver) => Receipt | undefined;

const evidences: readonly string[] = ['esm_class', 'tlv', 'text'];
const esmClasses = [0x00, 0x04, 0x20, 0x40, 0x44, 0x08, 0xff];
const textMax = 2000;

/**
 * The target for two kinds of receipts. For mutated real texts, everything that is read must occur in the text. For
 * texts composed of known facts in any order, exactly these facts must be read.
 */
export function receiptTarget(read: ReadReceipt): Target {
  return {
    ends: ['composed', 'receipt', 'message'],
    make: (chance, seeds) => (chance(3) === 0 ? compose(chance) : injure(chance, seeds)),
    run(input) {
      const decoded = decode(input);
      if (!decoded.ok || decoded.pdu.command !== 'deliver_sm') throw new Finding('a deliver_sm reads as one');
      const { pdu } = decoded;
      const receipt = read(pdu);
      if (pdu.sequence_number === composed) {
        checkFacts(Buffer.from(pdu.short_message).toString('latin1'), receipt);
        return 'composed';
      }
      if (receipt === undefined) return 'message';
      checkBounds(receipt, input.length);
      return 'receipt';
    },
  };
}

function checkBounds(receipt: Receipt, most: number): void {
  const { state, id, textId, statText, submitDate, doneDate, error, evidence } = receipt;
  holds(state === undefined || Object.hasOwn(messageStateTable, state), 'a state is one of the standard');
  holds(!receipt.final || (state !== undefined && messageStateTable[state].final), 'final is what has a final state');
  holds(evidences.includes(evidence), 'the evidence is one of three');
  for (const text of [id, textId, statText, submitDate, doneDate]) {
    holds(text === undefined || text.length <= most, 'nothing that is read is longer than what was there');
  }
  holds(id !== '' && textId !== '', 'an empty id is none');
  holds(id === undefined || id !== textId, "the text's id is given if it differs");
  // A code of two octets has at most five digits.
  holds(error === undefined || error.length <= Math.max(most, 5), 'an error is no longer than what was there');
}

const stats: readonly (readonly [string, MessageState])[] = [
  ...Object.entries(messageStateTable).map(([state, { stat }]): [string, MessageState] => [stat, toState(state)]),
  ['DLVRD', 'DELIVERED'],
  ['delivrd', 'DELIVERED'],
  ['FAILED', 'UNDELIVERABLE'],
  ['DND_REJECTED', 'REJECTED'],
  ['BUFFERD', 'SCHEDULED'],
  ['ACKED', 'ACCEPTED'],
];
const errors = ['000', '001', '0000', '1B', '21', 'ffff'];
const dates = ['2611210915', '261121091530', '20261121091530', '261121091530028+'];

function compose(chance: Chance): Buffer {
  const id = Array.from({ length: 1 + chance(20) }, () => '0123456789abcdefABCDEF-'.charAt(chance(23))).join('');
  const [stat] = pick(chance, stats);
  const fields = [
    `id:${id}`,
    `stat:${stat}`,
    `err:${pick(chance, errors)}`,
    `sub:${pick(chance, ['001', '1', '0'])}`,
    `dlvrd:${pick(chance, ['001', '1', '28'])}`,
    `submit date:${pick(chance, dates)}`,
    `done date:${pick(chance, dates)}`,
  ];
  // The fields are in any order. Each of them except the first three may be missing.
  for (let last = fields.length - 1; last > 0; last--) {
    const other = chance(last + 1);
    [fields[last], fields[other]] = [fields[other] ?? '', fields[last] ?? ''];
  }
  const kept = fields.filter((field) => /^(id|stat|err):/.test(field) || chance(4) > 0);
  const cased = chance(4) === 0 ? kept.map((field) => field.replace(/^[^:]+/, (key) => key.toUpperCase())) : kept;
  const text = cased.join(pick(chance, [' ', ' ', ' ', ', ', '\0']));
  return pduOf(composed, 0x04, Buffer.from(text, 'latin1'), []);
}

/** Reads the facts in the simplest way, which is enough for well-formed texts. */
function checkFacts(text: string, receipt: Receipt | undefined): void {
  if (receipt === undefined) throw new Finding('a receipt by esm_class is one');
  const word = (key: string): string | undefined => new RegExp(`(?:^|[ ,\\0])${key}:([^ ,\\0]*)`, 'i').exec(text)?.[1];
  const stat = word('stat');
  const state = stats.find(([each]) => each === stat)?.[1];
  holds(receipt.id === word('id'), 'the id is the one after id:');
  holds(receipt.statText === stat, 'the stat is the one after stat:');
  holds(receipt.error === word('err'), 'the error is the one after err:');
  holds(receipt.state === state, 'the state is what the stat means');
  holds(receipt.submitDate === word('submit date'), 'the date of the submit is the one after it');
  holds(receipt.doneDate === word('done date'), 'the date of the end is the one after it');
}

function injure(chance: Chance, { texts }: Seeds): Buffer {
  let text: Buffer = chance(12) === 0 ? Buffer.alloc(0) : Buffer.from(pick(chance, texts));
  for (let wounds = chance(5); wounds > 0; wounds--) text = wound(chance, text, texts);
  if (chance(20) === 0) text = Buffer.from(text.toString('latin1'), 'utf16le');
  const tlvs = tlvTags.flatMap((tag) => (chance(3) === 0 ? [tlvOf(chance, tag, texts)] : []));
  return pduOf(0, pick(chance, esmClasses), text.subarray(0, textMax), tlvs);
}

const tlvTags: readonly number[] = [
  tlvTable.receipted_message_id.tag,
  tlvTable.message_state.tag,
  tlvTable.network_error_code.tag,
];

function tlvOf(chance: Chance, tag: number, texts: readonly Buffer[]): Tlv {
  const isNumber = tag !== tlvTable.receipted_message_id.tag;
  const length = isNumber ? chance(6) : chance(70);
  const value = Buffer.alloc(length);
  for (let at = 0; at < length; at++) value[at] = isNumber ? chance(chance(2) === 0 ? 12 : 256) : 0x20 + chance(96);
  return { tag, value: chance(4) === 0 ? wound(chance, value, texts).subarray(0, 255) : value };
}

/** The number of a composed PDU; a mutated one has 0. */
const composed = 1;

/** A deliver_sm. A text that is too long for short_message is in message_payload. */
function pduOf(sequence_number: number, esm_class: number, text: Buffer, tlvs: readonly Tlv[]): Buffer {
  const isLong = text.length > 255;
  const all = isLong ? [...tlvs, { tag: tlvTable.message_payload.tag, value: text }] : tlvs;
  const short_message = isLong ? Buffer.alloc(0) : text;
  return Buffer.from(encode({ command: 'deliver_sm', sequence_number, esm_class, short_message, tlvs: all }));
}

function toState(name: string): MessageState {
  const state = Object.keys(messageStateTable).find((each): each is MessageState => each === name);
  if (state === undefined) throw new Error(`${name} is a state`);
  return state;
}
