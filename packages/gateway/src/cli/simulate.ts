import { startSimulator, tlsMaterialProblem } from '@morsel/smpp';
import type { Simulator } from '@morsel/smpp';
import { hostAndPort } from '../core/host.ts';
import type { Rejection } from '../core/rejection.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { optionOf, usage } from './command.ts';
import type { Failure, Input, Report, Shell } from './command.ts';
import { magicHelp } from './magic-help.ts';
import { readSettings } from './simulate-settings.ts';
import { opening } from './start.ts';
import type { ListenNames } from './start.ts';
import { toldToStop } from './told-to-stop.ts';

/** Runs a simulated carrier until it is told to stop. */
export async function simulate(input: Input, shell: Shell): Promise<Result<undefined, Failure>> {
  const settings = readSettings(input);
  if (!settings.ok) return refused(usage(sentenceOf(settings.error)));
  const problem = settings.value.tls && tlsMaterialProblem(settings.value.tls);
  if (problem !== undefined) return refused(usage(`--tls-cert, --tls-key: ${problem}`));
  const told = toldToStop();
  const simulator = await opening(names, () => startSimulator(settings.value));
  if (!simulator.ok) return simulator;
  shell.report(readyReport(settings.value.host, simulator.value));
  await told;
  await simulator.value.close();
  return ok(undefined);
}

const names: ListenNames = { port: () => '--port', host: () => '--host' };

function sentenceOf(rejection: Rejection): string {
  const field = 'field' in rejection && rejection.field !== undefined ? `--${optionOf(rejection.field)}: ` : '';
  return `${field}${'detail' in rejection ? rejection.detail : 'give it a value'}`;
}

function readyReport(address: string, { port }: Simulator): Report {
  return {
    json: JSON.stringify({ ready: true, host: address, port, pid: process.pid }),
    text: `a simulated carrier listens on ${hostAndPort(address, port)}\n\n${magicHelp()}`,
  };
}
