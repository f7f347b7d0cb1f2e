import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { asking, call, reportOf } from '../admin-client.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { counted } from '../counted.ts';
import { card, toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

/* The commands about the running gateway: status, clock, resume. */

export const statusCommands: readonly Command[] = [
  {
    words: 'status',
    summary: 'Show how the running gateway is',
    examples: [['status', 'since when it runs, and how it keeps what it accepts']],
    run: asking('status', (value) => {
      const status = toRow(value);
      const store = toRow(status['store']);
      const memory = toRow(status['memory']);
      return card([
        ['version', `${word(status, 'version')} on node ${word(status, 'node')}, process ${word(status, 'pid')}`],
        ['runs since', word(status, 'startedAt')],
        ['takes messages', status['ready'] === true ? 'yes' : 'no'],
        ...troublesOf(status),
        ['store', `journal_mode ${word(store, 'journalMode')}, synchronous ${word(store, 'synchronous')}`],
        [
          'written',
          `${counted(word(store, 'commands'), 'command')} in ${counted(word(store, 'groups'), 'commit')}, ${word(store, 'waiting')} waiting`,
        ],
        ['SMPP', smppOf(toRow(status['smpp']))],
        ['alerts', `${word(status, 'alertsOfDay')} in the last 24 hours: see morsel alert list`],
        ['memory', `${Math.round(Number(word(memory, 'residentBytes')) / 2 ** 20)} MiB`],
      ]);
    }),
  },
  {
    words: 'clock confirm',
    summary:
      "Confirm that the machine's clock is right, after a start that doubted it: what was held expires or is sent",
    options: [
      { flags: '--yes', summary: 'do not ask; without a terminal a clock that is behind is refused without it' },
    ],
    examples: [['clock confirm', 'after the gateway was off for days; compare the clock with another one first']],
    run: confirmClock,
  },
  {
    words: 'resume',
    summary: 'Begin the work of a gateway that was started with serve --hold',
    examples: [['resume', 'its links bind, and what waits is sent']],
    run: asking('resume', (value) => [resumedText, ...detailsOf(toRow(value))].join('\n')),
  },
];

/** A clock that is behind must be confirmed a second time. */
async function confirmClock(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const asked = await call(shell, 'status', {});
  if (!asked.ok) return asked;
  const troubles = toRows(toRow(asked.value.value)['troubles']);
  const isBehind = troubles.some((each) => word(each, 'kind') === 'clock-behind');
  if (isBehind) {
    const meant = await confirmed(input, shell, {
      sentence: behindText,
      question: `${behindText}. Is the clock right?`,
    });
    if (!meant.ok) return meant;
  }
  const reply = await call(shell, 'confirmClock', isBehind ? { behind: 'true' } : {});
  return reply.ok ? ok(reportOf(reply.value, () => believedText)) : reply;
}

const believedText = 'the clock is trusted: held messages expire or are sent now';
const behindText =
  'the clock is behind the newest record: until it passes that record, new ledger entries and message ids carry its date';
const resumedText = 'the gateway is resumed: its links bind, and what waits is sent';
const heldText = 'it binds, sends, notifies and expires nothing until morsel resume';

function troublesOf(status: Row): readonly (readonly [name: string, value: string])[] {
  return [
    ...(status['held'] === true ? [['held', heldText] as const] : []),
    ...toRows(status['troubles']).map(
      (each) => ['trouble', `${word(each, 'detail')}, since ${word(each, 'since')}`] as const,
    ),
  ];
}

/** Remaining trouble, such as a clock that is days ahead of a backup. */
function detailsOf(status: Row): readonly string[] {
  return toRows(status['troubles']).map((each) => `trouble: ${word(each, 'detail')}`);
}

function smppOf(smpp: Row): string {
  const ports = [
    ...(word(smpp, 'port') === '' ? [] : [`port ${word(smpp, 'port')}`]),
    ...(word(smpp, 'tlsPort') === '' ? [] : [`port ${word(smpp, 'tlsPort')} with TLS`]),
  ];
  if (ports.length === 0) return 'off';
  return `${ports.join(', ')}: ${counted(word(smpp, 'sessions'), 'session')}, and ${counted(word(smpp, 'unbound'), 'connection')} not bound`;
}
