import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { Journal } from '../../src/store/journal.ts';
import { carrierCommand } from '../support/store/routing-commands.ts';
import { testMasterKey } from '../support/store/vault.ts';

/* Opens a database (first argument) for writing, damages it, and writes to a table that was not read before. */

const [file = ''] = process.argv.slice(2);
const pageSize = 4_096;

const place = { kind: 'sqlite', file, isExpected: true, masterKey: testMasterKey } as const;
const end = (reason: string) => {
  process.stderr.write(`${reason}\n`);
  process.exit(70);
};
const journal = await Journal.open({ place, onFatal: end, onFault: end });
// The writing thread keeps the pages that it has read before.
const descriptor = openSync(file, 'r+');
const left = statSync(file).size - pageSize;
writeSync(descriptor, Buffer.alloc(left, 0x55), 0, left, pageSize);
closeSync(descriptor);
await journal.append(carrierCommand());
