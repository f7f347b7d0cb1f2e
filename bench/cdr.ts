/** `npm run bench -- cdr`. The constant `help` describes the benchmark and its options. */
import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseMicros, toMicros, zeroMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { Child } from '../packages/gateway/test/support/child.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';
import { Shown, toJson } from '../packages/gateway/test/support/json.ts';
import { writeManyMessages } from '../packages/gateway/test/support/many-messages.ts';
import { differenceKinds } from '../packages/cli/src/routing/invoice/compare.ts';
import { makeFolder } from './folder.ts';
import { figureOf, runTrial } from './trial.ts';
import type { Say, Trial } from './trial.ts';
import { forgetPeak, mebibyte, usageOf } from './usage.ts';

const help = `Exports the CDRs of many messages, compares them with the ledger, and reconciles the invoice of a carrier.

  npm run bench -- cdr [--thousands 1000] [--json]

  --thousands N  thousands of messages, of which nineteen in twenty have ended (default: 1000)
  --json         prints one JSON value

The exit status is 1 unless the amounts of the records are those of the ledger to the last millionth, and carrier reconcile
finds each of 50 planted differences in an invoice of 100,000 lines, and no other.
`;

/** 95 in 100 of these messages were delivered, so the invoice has about 100,000 lines. */
const invoiceThousands = 106;
const plantedMax = 50;

type Option = 'thousands';
const trial: Trial<Option> = { help, options: { thousands: 1_000 }, programs: [], run };

async function run({ thousands }: Readonly<Record<Option, number>>, say: Say) {
  const exported = await exportAll(thousands, say);
  const reconciled = await reconcileInvoice(say);
  return {
    figures: [...exported.figures, ...reconciled.figures],
    faults: [...exported.faults, ...reconciled.faults],
  };
}

async function exportAll(thousands: number, say: Say) {
  await using folder = makeFolder();
  say(`writing ${thousands} thousand messages`);
  await writeManyMessages(join(folder.path, 'morsel.db'), thousands);
  await using gateway = await GatewayProcess.start({ dataDir: folder.path });
  forgetPeak(gateway.pid);
  const before = usageOf(gateway.pid).residentBytes;
  const file = join(folder.path, 'export.csv');
  say('exporting');
  const exported = await timed(['cdr', 'export', '--output', file], folder.path);
  const peak = usageOf(gateway.pid).peakResidentBytes;
  const { records, amount } = await readExport(file);
  say('comparing with the ledger');
  const checked = await timed(['cdr', 'check'], folder.path);
  const { sums } = toJson(checked.shown.value);
  const recorded = Array.isArray(sums) ? Number(toJson(sums[0])['recorded']) : 0;
  const isEqual = Math.round(recorded * 1_000_000) === Number(amount);
  return {
    figures: [
      figureOf('records', 'records exported', records, ''),
      figureOf('recordsPerSecond', 'export', records / exported.seconds, '/s'),
      figureOf('commandPeakMebibytes', 'memory of the command, peak', exported.peakBytes / mebibyte, 'MiB'),
      figureOf('gatewayMoreMebibytes', 'memory of the gateway, more than before', (peak - before) / mebibyte, 'MiB'),
      figureOf('checkSeconds', 'comparison with the ledger', checked.seconds, 's'),
    ],
    faults: [
      ...(isEqual ? [] : [`the export adds up to ${amount} millionths, the records to ${recorded}`]),
      ...(checked.status === 0 ? [] : ['the records are not the ledger']),
    ],
  };
}

async function reconcileInvoice(say: Say) {
  await using folder = makeFolder();
  await writeManyMessages(join(folder.path, 'morsel.db'), invoiceThousands);
  await using gateway = await GatewayProcess.start({ dataDir: folder.path });
  forgetPeak(gateway.pid);
  const [file, invoice] = [join(folder.path, 'export.csv'), join(folder.path, 'invoice.csv')];
  await timed(['cdr', 'export', '--output', file], folder.path);
  const { ids } = await readExport(file);
  const planted = writeInvoice(invoice, ids);
  say('reconciling');
  const period = ['--from', '2019-01-01', '--to', '2100-01-01'];
  const reconciled = await timed(['carrier', 'reconcile', 'alpha', invoice, ...period], folder.path);
  const { differences } = toJson(reconciled.shown.value);
  const found = (Array.isArray(differences) ? differences : []).map((each) => {
    const { kind, id } = toJson(each);
    return `${String(kind)} ${String(id)}`;
  });
  const missed = planted.filter((each) => !found.includes(each));
  const others = found.filter((each) => !planted.includes(each));
  return {
    figures: [
      figureOf('invoiceLines', 'lines of the invoice', ids.length, ''),
      figureOf('reconcileSeconds', 'comparison of the invoice', reconciled.seconds, 's'),
      figureOf('reconcilePeakMebibytes', 'memory of the command, peak', reconciled.peakBytes / mebibyte, 'MiB'),
      figureOf('differences', 'planted differences found', planted.length - missed.length, ''),
    ],
    faults: [...missed.map((each) => `not found: ${each}`), ...others.map((each) => `not planted: ${each}`)],
  };
}

/** Runs a command, and watches its memory. */
async function timed(words: readonly string[], dataDir: string) {
  const begin = performance.now();
  const child = new Child([...words, '--json'], { environment: { MORSEL_DATA_DIR: dataDir } });
  let peakBytes = 0;
  const watching = setInterval(() => (peakBytes = Math.max(peakBytes, usageOf(child.pid).peakResidentBytes)), 50);
  const { status, out, errors } = await child.ended;
  clearInterval(watching);
  if (out === '') throw new Error(`${words.join(' ')} failed: ${errors}`);
  const seconds = (performance.now() - begin) / 1_000;
  return { status, seconds, peakBytes, shown: new Shown(JSON.parse(out)) };
}

interface Exported {
  readonly records: number;
  readonly amount: Micros;
  /** The carrier's ids of the first records. */
  readonly ids: readonly string[];
}

/** Adds up the file, which is too large for memory. No cell of this benchmark has a comma. */
async function readExport(file: string): Promise<Exported> {
  let [records, amount] = [0, zeroMicros];
  const ids: string[] = [];
  let columns: readonly string[] | undefined;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const cells = line.split(',');
    if (columns === undefined) columns = cells;
    else {
      const read = parseMicros(cells[columns.indexOf('amount')] ?? '');
      if (!read.ok) throw new Error(`line ${records + 2} has no amount`);
      amount = toMicros(amount + read.value);
      records += 1;
      if (ids.length < invoiceThousands * 1_000) ids.push(cells[columns.indexOf('carrierMessageId')] ?? '');
    }
  }
  return { records, amount, ids };
}

/** An id that is the other one in hexadecimal: a carrier may write both. */
function foreign(id: string): string {
  return BigInt(id).toString(16);
}

/** Writes the invoice with differences of each kind in turn. Returns them. */
function writeInvoice(file: string, ids: readonly string[]): readonly string[] {
  const every = Math.floor(ids.length / plantedMax);
  const planted: string[] = [];
  const lines = ids.flatMap((id, at) => {
    const kind = at % every === 0 && planted.length < plantedMax ? differenceKinds[(at / every) % 4] : undefined;
    switch (kind) {
      case 'only-theirs':
        planted.push(`${kind} ${foreign(id)}`);
        return [`${foreign(id)},1,0.000004`, `${id},1,0.000004`];
      case 'only-ours':
        planted.push(`${kind} ${id}`);
        return [];
      case 'other-price':
        planted.push(`${kind} ${id}`);
        return [`${id},1,0.000005`];
      case 'other-parts':
        planted.push(`${kind} ${id}`);
        return [`${id},2,0.000008`];
      case undefined:
        return [`${id},1,0.000004`];
    }
  });
  writeFileSync(file, ['message_id,parts,amount', ...lines].join('\n'));
  return planted;
}

process.exitCode = await runTrial(trial, process.argv.slice(2));
