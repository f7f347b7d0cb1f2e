import { ok } from '@morsel/api/values/result.ts';
import { version } from '@morsel/gateway/runtime/version.ts';
import type { Command } from '../command.ts';
import { commandOf } from '../bind.ts';
import { simulateFields, simulateNotes } from './simulate-fields.ts';

/*
 * Commands that run until a signal or take long. Their modules are loaded only when they run, which halves the time of
 * all other commands.
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
      {
        flags: '--accept-loss',
        summary:
          'start although commits are missing in the database, such as after you restored older files; the audit log gets an entry',
      },
    ],
    examples: {
      serve: 'keeps its data in ./data',
      'serve --json': 'prints the ready line as JSON, for the program that starts the gateway',
    },
    run: async (input, shell) => (await import('./serve.ts')).serve(input, shell),
  },
  {
    words: 'version',
    summary: 'Print the version of Morsel and of Node.js',
    examples: { version: 'print what the report of a bug needs' },
    run: async () => {
      const { version: node } = process;
      return ok({ json: JSON.stringify({ version, node }), text: `morsel ${version} on Node.js ${node}` });
    },
  },
  {
    words: 'demo',
    summary: 'Run the gateway with a simulated carrier, an account with a balance, and a token',
    examples: { demo: 'a gateway to try out, with its data in ./demo-data' },
    run: async (_input, shell) => (await import('./demo.ts')).demo(shell),
  },
  commandOf({
    words: 'simulate',
    summary: 'Run a simulated carrier, which needs no data directory',
    input: simulateFields,
    notes: simulateNotes,
    examples: {
      'simulate --port 2776':
        'a carrier to develop with; add it with carrier add sim --host 127.0.0.1 --port 2776 --system-id us --password any',
      'simulate --port 2776 --ordinary 9902': 'a carrier that delivers no message',
      'simulate --port 2776 --inbound STOP': 'sends an inbound message; each line that you type is sent, too',
      'simulate --port 0 --json --journal carrier.jsonl':
        'a carrier for a test, which reads the port from the ready line',
    },
    run: async (given, shell) => (await import('./simulate.ts')).simulate(given, shell),
  }),
  {
    words: 'move',
    summary: 'Move the data of a stopped gateway from SQLite to PostgreSQL, or back, and check it',
    options: [
      { flags: '--back', summary: 'move from PostgreSQL to SQLite in the data directory' },
      {
        flags: '--database-url <url>',
        summary: 'the PostgreSQL database, instead of MORSEL_DATABASE_URL; other users of the machine see its password',
      },
      { flags: '--database-url-file <file>', summary: 'a file with that URL' },
      { flags: '--yes', summary: 'do not ask for confirmation' },
    ],
    notes: () => moveNotes,
    examples: {
      move: 'from the folder MORSEL_DATA_DIR to the empty database MORSEL_DATABASE_URL',
      'move --back': 'from that database to a folder without a database',
      'move --database-url-file /run/secrets/morsel-database --yes --json': 'in a script',
    },
    run: async (input, shell) => (await import('./move.ts')).move(input, shell),
  },
];

const moveNotes = `Stop the gateway and all nodes first. The command copies all tables, compares every row of both databases, and marks
the source, so that no gateway starts on it. If the command was killed, the same command goes on where it stopped. Until
the end a gateway may start on the source; the command then starts again. What a carrier had not answered is in doubt, as
after a crash. A target that is not empty is refused. A password may also be in the file of PGPASSFILE. The keys stay
in the data directory: copy the files operator-key and master-key, and the files of TLS, to the other nodes. Texts and
passwords are moved encrypted. To move back, copy the file master-key into the folder first.`;
