import type { Command } from '../command.ts';
import { optionsOfField } from '../bind.ts';
import { simulateFields, simulateNotes } from './simulate-fields.ts';

/*
 * The commands that run until a signal. These commands load their modules only when they run. Loading late halves the
 * time of all other commands, which only call a running gateway.
 */

export const runningCommands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'Run the gateway until SIGTERM or Ctrl-C',
    options: [
      {
        flags: '--hold',
        summary:
          'do not bind, send, notify or expire anything until morsel resume, and answer sends with 503; for a look at a backup',
      },
    ],
    examples: [
      ['serve', 'keeps its data in ./data'],
      ['serve --json', 'prints the ready line as JSON, for the program that starts the gateway'],
    ],
    run: async (input, shell) => (await import('./serve.ts')).serve(shell, input.flags.has('hold')),
  },
  {
    words: 'demo',
    summary: 'Run the gateway with a simulated carrier, an account with a balance, and a token',
    examples: [['demo', 'a gateway to try out, with its data in ./demo-data']],
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
        'a carrier to develop with; add it with carrier add sim --host 127.0.0.1 --port 2776 --system-id us --password any',
      ],
      [
        'simulate --port 2776 --closing rst --closing-after 50',
        'resets a connection after 50 messages, with half of the answers sent',
      ],
      ['simulate --port 2776 --inbound STOP', 'sends an inbound message; each line that you type is sent, too'],
      [
        'simulate --port 0 --json --journal carrier.jsonl',
        'a carrier for a test, which reads the port from the ready line',
      ],
    ],
    run: async (input, shell) => (await import('./simulate.ts')).simulate(input, shell),
  },
];
