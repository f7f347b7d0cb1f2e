import type { Command } from '../command.ts';
import { optionsOfField } from '../bind.ts';
import { simulateFields, simulateNotes } from './simulate-fields.ts';

/*
 * The commands that run until a signal. They load their modules when they run, so that the other commands, which only
 * call a running gateway, take half the time.
 */

export const runningCommands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'Run the gateway until SIGTERM or Ctrl-C',
    options: [
      {
        flags: '--hold',
        summary:
          'bind, send, notify and expire nothing, and answer sends with 503, until morsel resume: to look at a backup',
      },
    ],
    examples: [
      ['serve', 'with its data in ./data'],
      ['serve --json', 'with the ready line in JSON, for whatever starts it'],
    ],
    run: async (input, shell) => (await import('./serve.ts')).serve(shell, input.flags.has('hold')),
  },
  {
    words: 'demo',
    summary: 'Run the gateway with a simulated carrier, an account with a balance, and a token',
    examples: [['demo', 'something to try, with its data in ./demo-data']],
    run: async (_input, shell) => (await import('./demo.ts')).demo(shell),
  },
  {
    words: 'simulate',
    summary: 'Run a simulated carrier, which needs no data directory',
    options: Object.entries(simulateFields).flatMap(([name, field]) => optionsOfField(name, field)),
    notes: simulateNotes,
    examples: [
      [
        'simulate --port 2776',
        'a carrier to develop against: carrier add sim --host 127.0.0.1 --port 2776 --system-id us --password any',
      ],
      ['simulate --port 2776 --closing rst --closing-after 50', 'closes the connection in the middle of a window'],
      ['simulate --port 2776 --inbound STOP', 'sends an inbound message; type more of them, a line each'],
      ['simulate --port 0 --json --journal carrier.jsonl', 'one for a test, which reads its port from the ready line'],
    ],
    run: async (input, shell) => (await import('./simulate.ts')).simulate(input, shell),
  },
];
