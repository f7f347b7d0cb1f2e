import { tlsMaterialProblem } from '@morsel/smpp';
import { startSimulator, type Inbound, type Simulator } from '@morsel/simulator';
import { hostAndPort } from '@morsel/api/values/host.ts';
import type { Slip } from '@morsel/api/fields/field.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { optionOf, usage, type Failure, type Input, type Report, type Shell } from '../command.ts';
import { endingsHelp } from '../help/endings-help.ts';
import { readSettings, type InboundSettings } from './simulate-settings.ts';
import { opening, type ListenNames } from './start.ts';
import { stopSignals } from './stop-signals.ts';

/* Runs `morsel simulate`: a simulated carrier, with inbound messages from standard input. */

export async function simulate(input: Input, shell: Shell): Promise<Result<undefined, Failure>> {
  const settings = readSettings(input);
  if (!settings.ok) return refused(usage(sentenceOf(settings.error)));
  const problem = settings.value.tls && tlsMaterialProblem(settings.value.tls);
  if (problem !== undefined) return refused(usage(`--tls-cert, --tls-key: ${problem}`));
  const stopped = stopSignals();
  const simulator = await opening(names, () => startSimulator(settings.value));
  if (!simulator.ok) return simulator;
  const { text, numbers } = settings.value.inbound;
  const first = text === undefined ? undefined : sendInbound(simulator.value, { ...numbers, text });
  if (first && !first.ok) {
    await simulator.value.close();
    return refused(usage(`--inbound: ${first.error}`));
  }
  shell.report(readyReport(settings.value.host, simulator.value));
  void sendTyped(simulator.value, { shell, numbers, first: first?.value });
  await stopped;
  await simulator.value.close();
  return ok(undefined);
}

/** Sends each line as an inbound message. The next line is read when a client has acknowledged the message. */
async function sendTyped(
  simulator: Simulator,
  { shell, numbers, first }: { shell: Shell; numbers: InboundSettings['numbers']; first: Promise<void> | undefined },
): Promise<void> {
  if (first) {
    await first;
    shell.report(acknowledged);
  }
  for await (const text of shell.readLines()) {
    if (text.trim() === '') continue;
    const sent = sendInbound(simulator, { ...numbers, text });
    if (!sent.ok) {
      shell.warn(`this line was not sent as an inbound message: ${sent.error}`);
      continue;
    }
    await sent.value;
    shell.report(acknowledged);
  }
}

const acknowledged: Report = {
  json: JSON.stringify({ inbound: 'acknowledged' }),
  text: 'inbound message acknowledged',
};

/** Resolves when a client has acknowledged the message. */
function sendInbound(simulator: Simulator, inbound: Inbound): Result<Promise<void>, string> {
  try {
    return ok(simulator.sendInbound(inbound));
  } catch (fault) {
    if (fault instanceof RangeError) return refused(fault.message);
    throw fault;
  }
}

const names: ListenNames = { port: () => '--port', host: () => '--host' };

function sentenceOf({ field, detail }: Slip): string {
  return `--${optionOf(field)}${detail.startsWith('must ') ? ' ' : ': '}${detail}`;
}

function readyReport(address: string, { port }: Simulator): Report {
  return {
    json: JSON.stringify({ ready: true, host: address, port, pid: process.pid }),
    text: `simulated carrier listening on ${hostAndPort(address, port)}\n\n${endingsHelp()}`,
  };
}
