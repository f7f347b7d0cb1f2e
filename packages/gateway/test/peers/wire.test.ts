import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { decode, Framer } from '@morsel/smpp';
import { decodeAs, writeCapture } from './capture.ts';
import { Carrier } from './carrier.ts';
import type { Passed } from './carrier.ts';
import { makeFolder, missing, runProgram } from './needs.ts';
import { Program, setUp, until } from './program.ts';
import { send } from './send.ts';

const texts = [
  { dcs: 'GSM', text: 'Hello', numParts: 1 },
  { dcs: 'GSM', text: 'price in €: [100] {200} ~300^ and so on; '.repeat(9), numParts: 3 },
  { dcs: 'UCS', text: 'Привет', numParts: 1 },
  { dcs: 'UCS', text: 'Ἐν ἀρχῇ ἦν ὁ λόγος. '.repeat(8), numParts: 3 },
] as const;

describe('what goes over a link', () => {
  it('is read by Wireshark as we meant it, without a malformed PDU', { skip: missing('tshark') }, async (t) => {
    using folder = makeFolder();
    await using carrier = await Carrier.start();
    {
      await using program = await Program.start({ dataDir: join(folder.path, 'data') });
      const { token } = await setUp(program, { port: carrier.port, window: 10 });
      for (const [number, { dcs, text, numParts }] of texts.entries()) {
        const sent = await send(program, { token, number, text, dcs });
        assert.equal(sent.status, 200);
        assert.equal(sent.body.number('numParts'), numParts);
      }
      const parts = texts.reduce((sum, { numParts }) => sum + numParts, 0);
      await until('every receipt is acknowledged', 10_000, () => carrier.acknowledged === parts);
      await carrier.enquire();
    }
    const file = join(folder.path, 'link.pcap');
    writeFileSync(file, writeCapture(carrier.passed));
    const read = (...words: readonly string[]) => readCapture(file, words);

    assert.deepEqual(read('-Y', '_ws.malformed || _ws.unreassembled'), []);
    const commandIds = read('-Y', 'smpp', ...field('smpp.command_id'));
    const ours = [...commandIdsIn(carrier.passed, 'gateway'), ...commandIdsIn(carrier.passed, 'carrier')];
    assert.deepEqual(commandIds.map(Number).toSorted(byValue), ours.toSorted(byValue));
    const receivers = read('-Y', 'smpp.command_id == 4', ...field('smpp.destination_addr'));
    assert.deepEqual(receivers, carrier.receivers);
    const shown = read('-Y', 'smpp.command_id == 4', ...field('smpp.message_text'));
    assert.equal(shown.join(''), texts.map(({ text }) => text).join(''), 'A6: the texts are those that were accepted');
    t.diagnostic(`${commandIds.length} PDUs, ${receivers.length} of them submit_sm`);
  });
});

/** What stands between the values of the PDUs of one packet: a character that no text here has. */
const between = '|';

function field(name: string): string[] {
  return ['-T', 'fields', '-E', `aggregator=${between}`, '-e', name];
}

/** What tshark prints, value by value. A data_coding of 0 it takes for the unpacked GSM alphabet, as we do. */
function readCapture(file: string, words: readonly string[]): string[] {
  const settings = ['-d', decodeAs, '-o', 'smpp.decode_sms_over_smpp:GSM 7-bit'];
  const printed = runProgram('tshark', ['-r', file, ...settings, ...words]);
  return printed.split(/[|\n]/).filter((value) => value !== '');
}

function byValue(one: number, other: number): number {
  return one - other;
}

/** command_id (SMPP 3.4, section 5.1.2.1) of each PDU, as we read them ourselves. */
function commandIdsIn(passed: readonly Passed[], from: Passed['from']): number[] {
  const framer = new Framer();
  return passed
    .filter((piece) => piece.from === from)
    .flatMap((piece) => framer.push(piece.bytes))
    .map((frame) => {
      assert.ok('bytes' in frame && decode(frame.bytes).ok);
      return Buffer.from(frame.bytes).readUInt32BE(4);
    });
}
