import { readFileSync } from 'node:fs';
import { tlsMaterialProblem } from '@morsel/smpp';
import { startSimulator, type Inbound, type Simulator, type SimulatorOptions } from '@morsel/simulator';
import { hostAndPort } from '@morsel/api/values/host.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { faultCode } from '@morsel/gateway/core/base/fault-code.ts';
import { usage, type Failure, type Report, type Shell } from '../command.ts';
import { endingsHelp } from '../help/endings-help.ts';
import type { simulateFields } from './simulate-fields.ts';
import { opening, type ListenNames } from './start.ts';
import { stopSignals } from './stop-signals.ts';

/* Runs `morsel simulate`: a simulated carrier, with inbound messages from standard input. */

type Given = Values<typeof simulateFields>;
type Numbers = Pick<Inbound, 'from' | 'to'>;

export async function simulate(given: Given, shell: Shell): Promise<Result<undefined, Failure>> {
  const options = simulatorOptions(given);
  if (!options.ok) return options;
  const stopped = stopSignals();
  const simulator = await opening(names, () => startSimulator(options.value));
  if (!simulator.ok) return simulator;
  const { inbound: text, from, to } = given;
  const numbers = withoutAbsent({ from, to });
  const first = text === undefined ? undefined : sendInbound(simulator.value, { ...numbers, text });
  if (first && !first.ok) {
    await simulator.value.close();
    return refused(usage(`--inbound: ${first.error}`));
  }
  shell.report(readyReport(given.host, simulator.value));
  void sendTyped(simulator.value, { shell, numbers, first: first?.value });
  await stopped;
  await simulator.value.close();
  return ok(undefined);
}

/** The options that have another form on the command line; the simulator has defaults for absent ones. */
export function simulatorOptions(given: Given): Result<SimulatorOptions, Failure> {
  const { tlsCert, tlsKey, tlsCa, magic, inbound: _text, from: _from, to: _to, ...plain } = given;
  const options = withoutAbsent({ ...plain, magic: magic !== 'off' });
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined) return ok(options);
  if (tlsCert === undefined) return refused(usage('--tls-cert must name the PEM file of a certificate'));
  if (tlsKey === undefined) return refused(usage('--tls-key must name the PEM file of the key of the certificate'));
  try {
    const client = tlsCa === undefined ? {} : { ca: readFileSync(tlsCa), requestClientCertificate: true };
    const tls = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey), ...client };
    const problem = tlsMaterialProblem(tls);
    return problem === undefined ? ok({ ...options, tls }) : refused(usage(`--tls-cert, --tls-key: ${problem}`));
  } catch (fault) {
    return refused(usage(`a file of --tls-cert, --tls-key or --tls-ca cannot be read: ${faultCode(fault)}`));
  }
}

function withoutAbsent<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same members, except undefined members
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** Sends each line as an inbound message. The next line is read when a client has acknowledged the message. */
async function sendTyped(
  simulator: Simulator,
  { shell, numbers, first }: { shell: Shell; numbers: Numbers; first: Promise<void> | undefined },
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

function readyReport(address: string, { port }: Simulator): Report {
  return {
    json: JSON.stringify({ ready: true, host: address, port, pid: process.pid }),
    text: `simulated carrier listening on ${hostAndPort(address, port)}\n\n${endingsHelp()}`,
  };
}
