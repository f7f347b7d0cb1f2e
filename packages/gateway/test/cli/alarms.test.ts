import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { done } from '../support/done.ts';
import { morsel, served } from '../support/morsel.ts';

let gateway: Gateway;

before(async () => {
  gateway = await served();
});

after(() => gateway.stop());

async function printed(...words: readonly string[]): Promise<string> {
  const { status, out, errors } = await morsel(words);
  assert.equal(status, 0, `${words.join(' ')}: ${errors}`);
  return out;
}

it('alarm list shows the subject, and alarm show the notifications as a table', async () => {
  const { journal, clock } = gateway.operator;
  const about = { kind: 'queue-old', subject: 'alpha', evidence: '9 parts wait', help: 'morsel status' } as const;
  const opens = [{ ...about, hear: ['night', 'day'] }];
  const turn = { kind: 'turn-alarms', at: clock.now(), opens, later: [], closes: [] } as const;
  done(await journal.append<'turn-alarms'>(turn));
  assert.match(await printed('alarm', 'list'), /KIND +SUBJECT +EVIDENCE[^]+queue-old +alpha +9 parts wait/);
  const shown = await printed('alarm', 'show', '1');
  assert.match(shown, /^subject +alpha$/m);
  assert.match(shown, /^RECEIVER +TURN +TOLD +DUE +TRIES +OUTCOME$\n^day +opened .* 0$\n^night +opened .* 0$/m);
});
