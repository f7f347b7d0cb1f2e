import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { keyFile } from '@morsel/gateway/edge/admin/operator-files.ts';
import { copyBesides, copyDatabase, makeBackupFolder, removeBackup } from '@morsel/gateway/store/backup.ts';
import { StoreRefused } from '@morsel/gateway/state/sealing/refused.ts';
import { masterKeyName } from '@morsel/gateway/state/sealing/master-key.ts';
import { checkPages } from '@morsel/gateway/store/stopped.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { markFile } from './demo-directory.ts';
import { checkFolder, folderOfSqlite, lookedText } from '../money/ledger.ts';

/* Copies a data directory and checks the copy. */

export const backupCommands: readonly Command[] = [
  {
    words: 'backup',
    summary: 'Copy the data directory to a new folder, and check the copy; the gateway may run or be stopped',
    arguments: [
      { name: 'folder', summary: 'folder for the backup; the command makes it, and refuses a folder with files in it' },
    ],
    examples: {
      'backup ./backup-monday':
        'copies the database, the operator key and the master key; only their owner may read the copies',
      'backup /mnt/backup/monday --json': 'in a script: the exit status is 0 if the ledger of the copy is right',
    },
    notes: () => notes,
    run: backUp,
  },
];

const notes = `The copy has the state at the time when the command began. The gateway goes on meanwhile. The pages of the copy are
checked, and then its ledger, like ledger check does. Certificates and keys of TLS are not in the data directory, and
so not in the backup. The same is true for a master key that MORSEL_MASTER_KEY_FILE names: without it, nobody can read
the texts and passwords of the backup. To restore, start a gateway on a copy of the folder. To look at a backup without sending, use
serve --hold.`;

/** The files that a gateway needs besides its database. */
const besides = [keyFile, masterKeyName, markFile];

async function backUp(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const folder = folderOfSqlite(shell, 'backup');
  if (!folder.ok) return folder;
  const from = folder.value;
  const into = resolve(input.values['folder'] ?? '');
  try {
    if (!existsSync(from))
      throw new StoreRefused(`there is no data directory ${from}: set MORSEL_DATA_DIR to the data directory`);
    const made = makeBackupFolder(into);
    try {
      return await fill({ from, into }, shell);
    } catch (fault) {
      removeBackup(into, { made, names: besides });
      throw fault;
    }
  } catch (fault) {
    if (fault instanceof StoreRefused) return refused({ kind: 'refused', detail: fault.message });
    throw fault;
  } finally {
    shell.progress?.('');
  }
}

/**
 * Copies the data. After a refusal, the copy is exact but its ledger has faults. If `fill` throws, the copy is useless.
 */
async function fill(
  { from, into }: { readonly from: string; readonly into: string },
  shell: Shell,
): Promise<Result<Report, Failure>> {
  const copied = await copyDatabase({ from, into }, (percent) => shell.progress?.(`copied ${percent} %`));
  copyBesides({ from, into }, besides);
  if (!copied.isCurrent) {
    await checkPages(into);
    return ok(reportOf({ into, octets: copied.octets }));
  }
  const checked = await checkFolder(into, shell);
  if (!checked.ok) return checked;
  const { faultCount, looked } = checked.value;
  if (faultCount === 0) return ok(reportOf({ into, octets: copied.octets, looked }));
  const detail = `the backup in ${into} is an exact copy, but its ledger has faults: see morsel ledger check --data-dir ${into}`;
  return refused({ kind: 'refused', detail });
}

interface Done {
  readonly into: string;
  readonly octets: number;
  /**
   * The checked rows; absent if the ledger was not checked, because another version of the program wrote the database.
   */
  readonly looked?: { readonly [stage: string]: number };
}

function reportOf({ into, octets, looked }: Done): Report {
  const size = `${Math.ceil(octets / 2 ** 20)} MiB`;
  const how = looked
    ? `its ledger is right: ${lookedText(looked)}`
    : 'its pages are whole; its ledger was not checked, because the database is of another version of this program';
  return {
    json: JSON.stringify({ folder: into, octets, ...(looked && { looked }) }),
    text: `the backup in ${into} is complete, ${size}; ${how}`,
  };
}
