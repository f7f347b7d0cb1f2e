import { described, group, optional } from '@morsel/api/fields/compose.ts';
import type { About } from '@morsel/api/fields/field.ts';
import { ascii, fieldOf, flag, host, oneOf, text, textThat, wholeNumber } from '@morsel/api/fields/fields.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { endings } from '@morsel/simulator/endings';
import { endingsHelp } from '../help/endings-help.ts';

/* The options of `morsel simulate`, by the names that the simulator itself gives them where it has them. */

const portMax = 65_535;
const countMax = 1_000_000;
const delayMaxMs = 3_600_000;
const loginMax = 64;
/** The longest address (SMPP 3.4, section 5.2.8). */
const addressMax = 20;

const limits = { min: 1, max: countMax };
const word = (placeholder: string, summary: string) => optional(text({ summary, placeholder }));
const file = (summary: string) => word('<file>', summary);
const count = (summary: string, defaultText: string) => optional(wholeNumber({ ...limits, summary, defaultText }));
const delay = (summary: string, defaultMs: number) =>
  optional(wholeNumber({ min: 0, max: delayMaxMs, summary, placeholder: '<ms>', defaultText: String(defaultMs) }));
const credential = (
  placeholder: string,
  about: { readonly summary: string; readonly max: number; readonly min?: number },
) => optional(ascii({ ...about, placeholder, defaultText: 'any' }));
const choice = <const T extends string>(words: readonly T[], about: About) => optional(oneOf(words, about));

/** A percentage, as a number from 0 to 1. */
function share(about: About) {
  return fieldOf<number>(about, {
    placeholder: '<share>',
    schema: { type: 'string' },
    read: (given) => {
      const match = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(String(given));
      const read = Number(match?.[1]) / 100;
      return read <= 1 ? ok(read) : refused('must be a percentage from 0% to 100%, such as 2% or 0.5%');
    },
    json: (value) => `${value * 100}%`,
    fromJson: Number,
  });
}

export const simulateFields = {
  ...group('Port and login', {
    port: wholeNumber({
      min: 0,
      max: portMax,
      summary: 'port to listen on; 0 for any free port',
      placeholder: '<port>',
    }),
    host: optional(host({ summary: 'address to listen on' }), '127.0.0.1'),
    systemId: credential('<id>', { min: 1, max: loginMax, summary: 'system_id that binds must have' }),
    password: credential('<password>', { max: loginMax, summary: 'password that binds must have' }),
    bindsMax: described(
      count(
        'accept at most this number of sessions of one system_id; refuse other binds with ESME_RALYBND',
        'no limit',
      ),
      { option: 'binds' },
    ),
  }),
  ...group('Answers and receipts', {
    receiptDelayMs: delay('time from a message to its receipt', 500),
    retryMs: delay('time until an unacknowledged receipt is sent again', 1000),
    answerDelayMs: delay('delay of answers', 0),
    messageIds: choice(['decimal', 'hex'], { summary: 'form of message ids in answers', defaultText: 'decimal' }),
    receiptIds: choice(['decimal', 'hex'], {
      summary: 'form of message ids in receipts',
      defaultText: 'the same as in answers',
    }),
    magic: choice(['on', 'off'], {
      summary: 'whether receivers with the endings below are special',
      placeholder: '<switch>',
      defaultText: 'on',
    }),
    ordinary: optional(
      textThat(
        { summary: 'treat all other receivers like those with this ending' },
        (given) => Object.hasOwn(endings, given),
        { placeholder: '<ending>', wants: `must be one of ${Object.keys(endings).join(', ')}` },
      ),
    ),
  }),
  ...group('Journal', {
    journal: file('append every event to this file, one JSON object in each line'),
    journalTexts: optional(flag({ summary: 'write the texts of messages into the journal, too' }), false),
  }),
  ...group('Limits', {
    throughput: count(
      'accept at most this number of messages a second; refuse others with ESME_RTHROTTLED',
      'no limit',
    ),
    throttleChance: optional(
      share({
        summary: 'refuse this share of messages with ESME_RTHROTTLED at random, for example 2%',
        defaultText: '0%',
      }),
    ),
    window: count('accept at most this number of unanswered messages; refuse others with ESME_RMSGQFUL', 'no limit'),
  }),
  ...group('TLS', {
    tlsCert: file('speak TLS with the certificate in this PEM file'),
    tlsKey: file('PEM file with the key of the certificate'),
    tlsCa: file('require client certificates signed by the authority in this PEM file'),
  }),
  ...group('Inbound messages', {
    inbound: word('<text>', 'send this inbound message as soon as a client that can receive is bound'),
    from: optional(
      ascii({
        min: 1,
        max: addressMax,
        summary: 'sender of inbound messages',
        placeholder: '<number>',
        defaultText: 'the receiver of the newest message, or +41791234567',
      }),
    ),
    to: optional(
      ascii({
        min: 1,
        max: addressMax,
        summary: 'receiver of inbound messages',
        placeholder: '<number>',
        defaultText: 'the sender of the newest message, or +41791112233',
      }),
    ),
  }),
};

export function simulateNotes(): string {
  return `Each line of standard input is sent as an inbound message, too. Long texts are sent in several parts.

${endingsHelp()}`;
}
