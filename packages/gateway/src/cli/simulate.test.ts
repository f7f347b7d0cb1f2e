import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DEMANDS, ID_FORMS, MAGIC } from '@morsel/smpp';
import { simulateFlags, simulateNotes } from './simulate-flags.ts';
import { readSettings } from './simulate-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-simulate-'));
after(() => rmSync(folder, { recursive: true }));

function pem(name: string): string {
  writeFileSync(join(folder, name), name);
  return join(folder, name);
}

describe('morsel simulate', () => {
  it('names in its help every number, form of an id and demand of the simulator', () => {
    const help = simulateNotes();
    for (const ending of Object.keys(MAGIC)) assert.ok(help.includes(`...${ending}  ${MAGIC[ending]?.about}`), ending);
    for (const word of [...Object.keys(DEMANDS), ...ID_FORMS]) assert.match(help, new RegExp(`[ ]${word}[,.\\n]`));
  });

  it('hands every option to the simulator', () => {
    const values = {
      port: '0',
      systemId: 'us',
      password: '',
      receiptDelayMs: '1',
      retryMs: '2',
      journal: 'j',
      throughput: '3',
      throttlePenaltyMs: '4',
      window: '5',
      deliveriesMax: '6',
      tlsCert: pem('cert'),
      tlsKey: pem('key'),
      tlsCa: pem('ca'),
      smppVersion: '3.3',
      systemType: 'VMA',
      addressRange: '^46',
      binds: '7',
      bindStatus: 'ESME_RALYBND',
      bindRefusals: '8',
      messageIds: 'hex',
      receiptIds: 'uuid',
      magic: 'off',
      ordinary: '9902',
      demands: 'plus, no_ucs2',
      answers: 'reversed',
      answerDelayMs: '9',
      closing: 'rst',
      closingAfter: '10',
      closingTimes: '11',
      unanswered: 'enquire_link,unbind',
      firstSequence: '0',
    };
    const flags = new Set(['journalTexts', 'bindBody']);
    const read = readSettings({ values, flags });
    assert.deepEqual(read, {
      ok: true,
      value: {
        port: 0,
        host: '127.0.0.1',
        systemId: 'us',
        password: '',
        receiptDelayMs: 1,
        retryMs: 2,
        journal: 'j',
        journalTexts: true,
        throughput: 3,
        throttlePenaltyMs: 4,
        window: 5,
        deliveriesMax: 6,
        tls: {
          cert: Buffer.from('cert'),
          key: Buffer.from('key'),
          ca: Buffer.from('ca'),
          requestClientCertificate: true,
        },
        version: 0x33,
        systemType: 'VMA',
        addressRange: '^46',
        bindsMax: 7,
        bindRefusal: { command_status: 5, times: 8, hasBody: true },
        messageIds: 'hex',
        receiptIds: 'uuid',
        magic: false,
        ordinary: '9902',
        demands: ['plus', 'no_ucs2'],
        answers: 'reversed',
        answerDelayMs: 9,
        closing: { by: 'rst', afterSubmits: 10, times: 11 },
        unanswered: ['enquire_link', 'unbind'],
        session: { firstSequence: 0 },
      },
    });
    const known = simulateFlags.map((option) => option.flags.slice(2).split(' ')[0]);
    const given = [...Object.keys(values), ...flags, 'host'].map((name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    );
    assert.deepEqual(new Set(given), new Set(known), 'help and reading know the same options');
  });

  for (const [values, field] of [
    [{ tlsCert: 'x' }, 'tlsKey'],
    [{ tlsKey: 'x' }, 'tlsCert'],
    [{ tlsCa: 'x' }, 'tlsCert'],
  ] as const) {
    it(`says what to do where ${JSON.stringify(values)} is half of TLS`, () => {
      const read = readSettings({ values: { port: '0', ...values }, flags: new Set() });
      assert.ok(!read.ok && read.error.code === 'invalid_parameter');
      assert.equal(read.error.field, field);
      assert.match(read.error.detail, /^name the file of the /);
    });
  }

  it('leaves to the simulator what is not said', () => {
    const read = readSettings({ values: { port: '0' }, flags: new Set() });
    assert.deepEqual(read, { ok: true, value: { port: 0, host: '127.0.0.1', journalTexts: false } });
  });
});
