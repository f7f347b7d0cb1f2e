import { MAGIC, startSimulator } from '@morsel/smpp';
import type { Simulator, SimulatorOptions } from '@morsel/smpp';
import { hostAndPort } from '../core/host.ts';
import type { Rejection } from '../core/rejection.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { anyText, ascii, host, optional, readFields, wholeNumber } from '../flow/operator-fields.ts';
import { optionOf, usage } from './command.ts';
import type { Failure, Input, Report, Shell } from './command.ts';
import { opening } from './start.ts';
import type { ListenNames } from './start.ts';
import { toldToStop } from './told-to-stop.ts';

/** Runs a simulated carrier until it is told to stop. */
export async function simulate(input: Input, shell: Shell): Promise<Result<undefined, Failure>> {
  const settings = readSettings(input);
  if (!settings.ok) return settings;
  const told = toldToStop();
  const simulator = await opening(names, () => startSimulator(settings.value));
  if (!simulator.ok) return simulator;
  shell.report(readyReport(settings.value.host, simulator.value));
  await told;
  await simulator.value.close();
  return ok(undefined);
}

const names: ListenNames = { port: () => '--port', host: () => '--host' };

const portMax = 65_535;
const throughputMax = 1_000_000;
const receiptDelayMaxMs = 3_600_000;
const loginMax = 64;

const fields = {
  port: wholeNumber(0, portMax),
  host: optional(host, '127.0.0.1'),
  systemId: optional(ascii(1, loginMax), undefined),
  password: optional(ascii(0, loginMax), undefined),
  receiptDelayMs: optional(wholeNumber(0, receiptDelayMaxMs), undefined),
  journal: optional(anyText, undefined),
  throughput: optional(wholeNumber(1, throughputMax), undefined),
};

function readSettings({ values }: Input): Result<SimulatorOptions & { readonly host: string }, Failure> {
  const read = readFields(fields, values);
  if (!read.ok) return refused(usage(sentenceOf(read.error)));
  const { systemId, password, receiptDelayMs, journal, throughput, ...rest } = read.value;
  return ok({
    ...rest,
    ...(systemId !== undefined && { systemId }),
    ...(password !== undefined && { password }),
    ...(receiptDelayMs !== undefined && { receiptDelayMs }),
    ...(journal !== undefined && { journal }),
    ...(throughput !== undefined && { throughput }),
  });
}

function sentenceOf(rejection: Rejection): string {
  const field = 'field' in rejection && rejection.field !== undefined ? `--${optionOf(rejection.field)}: ` : '';
  return `${field}${'detail' in rejection ? rejection.detail : rejection.code}`;
}

function readyReport(address: string, { port }: Simulator): Report {
  return {
    json: JSON.stringify({ ready: true, host: address, port, pid: process.pid }),
    text: `a simulated carrier listens on ${hostAndPort(address, port)}\n\n${magicHelp(Object.keys(MAGIC))}`,
  };
}

/** What becomes of receivers that end in these digits. */
export function magicHelp(endings: readonly string[]): string {
  const lines = endings.map((ending) => `  ...${ending}  ${MAGIC[ending]?.about ?? ''}`);
  return `Receivers whose number ends in one of these are treated so; all others are delivered:\n${lines.join('\n')}`;
}
