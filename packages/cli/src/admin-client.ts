import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { readConfig } from '@morsel/gateway/config.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { adminEndpoints, fillPath } from '@morsel/gateway/edge/admin/endpoints.ts';
import type { AdminEndpointName } from '@morsel/gateway/edge/admin/endpoints.ts';
import { askOperation, callsOf } from '@morsel/api/admin/client.ts';
import type { AdminAnswer, AdminCalls, AdminFailure } from '@morsel/api/admin/client.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { readJson } from '@morsel/api/admin/exact-json.ts';
import { readAdminAddress, readOperatorKey } from '@morsel/gateway/edge/admin/operator-files.ts';
import { askingDemo, demoRunsBeside } from './running/demo-directory.ts';
import { withFigures } from './refusal-figures.ts';
import { labelled } from './given.ts';
import { optionOf, usage } from './command.ts';
import type { Command, Failure, Report, Shell } from './command.ts';

/* Calls the gateway that runs on the data directory, and turns refusals into failures. */

/** A gateway on this machine accepts a connection at once or never; a remote one needs a few round trips. */
const connectionDeadlineMs = 3 * secondMs;
/** A change waits for its commit and for the new snapshot; totals read the whole store. */
const answerDeadlineMs = 120 * secondMs;

/** Calls the gateway that runs on the data directory; its refusal is a failure with its own sentence. */
export async function askGateway(
  shell: Pick<Shell, 'environment'>,
  operation: Operation,
  given: { readonly [field: string]: unknown },
): Promise<Result<AdminAnswer<unknown>, Failure>> {
  const place = placeOf(shell);
  if (!place.ok) return place;
  const { host, port, key } = place.value;
  const base = `http://${hostAndPort(host, port)}`;
  const answer = await askOperation({ base, credentials: { key }, operation, given });
  return answer.ok ? answer : refused(failureIn(answer.error, operation, place.value));
}

/** The operations of the gateway as typed functions, for commands that call more than one. */
export function gatewayCalls(shell: Pick<Shell, 'environment'>): AdminCalls<Failure> {
  return callsOf((operation, given) => askGateway(shell, operation, given));
}

interface Place {
  readonly host: string;
  readonly port: number;
  readonly key: string;
  readonly dataDir: string;
}

function placeOf({ environment }: Pick<Shell, 'environment'>): Result<Place, Failure> {
  const config = readConfig(environment);
  if (!config.ok) return refused(usage(config.error));
  const { dataDir } = config.value;
  const address = readAdminAddress(dataDir);
  if (!address) return refused(notRunning(dataDir));
  const key = readOperatorKey(dataDir);
  return key.ok ? ok({ ...address, key: key.value, dataDir }) : refused({ kind: 'unreachable', detail: key.error });
}

const foreignGateway = 'what answers is another gateway: it does not take our operator key';

function failureIn(failure: AdminFailure, operation: Operation, { host, port, dataDir }: Place): Failure {
  if (failure.kind === 'unreachable') {
    return failure.code === 'ECONNREFUSED'
      ? notRunning(dataDir)
      : { kind: 'unreachable', detail: unreachableBecause(failure.code, hostAndPort(host, port)) };
  }
  const { problem, status, text } = failure;
  if (status === 401) return { kind: 'unreachable', detail: foreignGateway };
  const detail = labelled(withFigures(problem.detail, { ...problem }), operation.input, problem.field);
  return { kind: isUsage(problem) ? 'usage' : 'refused', detail, code: problem.code, problem: text };
}

function unreachableBecause(code: string, address: string): string {
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `nothing answers at ${address}`;
    case 'TimeoutError':
      return silent;
    case 'cut off':
      return 'the gateway ended before its answer did';
    default:
      return code.startsWith('status ')
        ? `what answers is no gateway (${code})`
        : `the gateway at ${address} cannot be reached: ${code}`;
  }
}

/** The gateway's answer: unchanged, and with every number as its digits. */
export interface Reply {
  readonly text: string;
  readonly value: unknown;
}

type Asked = Result<Reply, Failure>;

/** A command that is one call of one endpoint, with all that was given as its fields. */
export function asking(endpoint: AdminEndpointName, show: (value: unknown, shell: Shell) => string): Command['run'] {
  return async (input, shell) => {
    const reply = await call(shell, endpoint, input.values);
    return reply.ok ? ok(reportOf(reply.value, (value) => show(value, shell))) : reply;
  };
}

export function reportOf(reply: Reply, show: (value: unknown) => string): Report {
  return { json: reply.text, text: show(reply.value) };
}

/** Calls the gateway that runs on the data directory; its refusal is a failure with its own sentence. */
export async function call(
  shell: Shell,
  endpoint: AdminEndpointName,
  fields: { readonly [field: string]: unknown },
): Promise<Asked> {
  const place = placeOf(shell);
  if (!place.ok) return place;
  const { method, path: pattern } = adminEndpoints[endpoint];
  const { path, rest } = fillPath(pattern, fields);
  const isPost = method === 'POST';
  const answer = await exchange({
    ...place.value,
    method,
    path: isPost ? path : withQuery(path, rest),
    body: isPost ? JSON.stringify(rest) : undefined,
  });
  return answer.ok ? interpret(answer.value) : answer;
}

function withQuery(path: string, fields: { readonly [field: string]: unknown }): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) query.set(name, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

interface Exchange {
  readonly host: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body: string | undefined;
  readonly dataDir: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function exchange(wanted: Exchange): Promise<Result<Answer, Failure>> {
  const { host, port, method, path, body } = wanted;
  return new Promise((resolve) => {
    const sent = request({ host, port, method, path, agent: false, headers: headersOf(wanted) });
    const unanswered = (detail: string) => {
      resolve(refused({ kind: 'unreachable', detail }));
      sent.destroy();
    };
    const connection = setTimeout(
      () => unanswered(`nothing answers at ${hostAndPort(host, port)} within ${connectionDeadlineMs / secondMs} s`),
      connectionDeadlineMs,
    );
    sent.on('socket', (socket) => socket.once('connect', () => clearTimeout(connection)));
    sent.setTimeout(answerDeadlineMs, () => unanswered(silent));
    sent.on('response', (response) => {
      clearTimeout(connection);
      void readAnswer(response).then((answer) => resolve(answer));
    });
    sent.on('error', (fault) => {
      clearTimeout(connection);
      resolve(refused(failureOf(fault, wanted)));
    });
    sent.end(body);
  });
}

const silent = `the gateway has not answered within ${answerDeadlineMs / secondMs} s: look whether it was done before you repeat it`;

function headersOf({ key, body }: Exchange): { readonly [name: string]: string | number } {
  const authorization = `Bearer ${key}`;
  if (body === undefined) return { authorization };
  return { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
}

async function readAnswer(response: IncomingMessage): Promise<Result<Answer, Failure>> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response) if (chunk instanceof Uint8Array) chunks.push(chunk);
  } catch {
    return refused({ kind: 'unreachable', detail: 'the gateway ended before its answer did' });
  }
  return ok({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
}

function failureOf(fault: Error, { host, port, dataDir }: Exchange): Failure {
  const code = 'code' in fault ? String(fault.code) : fault.name;
  if (code === 'ECONNREFUSED') return notRunning(dataDir);
  return { kind: 'unreachable', detail: `the gateway at ${hostAndPort(host, port)} cannot be reached: ${code}` };
}

/** A command never guesses which gateway it changes: if only the demo runs, it says how to call that one. */
function notRunning(dataDir: string): Failure {
  const instead = demoRunsBeside(dataDir) ? `; to ask the demo, set ${askingDemo()}` : '';
  return {
    kind: 'unreachable',
    detail: `no gateway runs on ${dataDir}: start one with "npm run -s morsel -- serve", or name its folder with MORSEL_DATA_DIR${instead}`,
  };
}

/** A success, or the problem in the gateway's words. */
function interpret({ status, text }: Answer): Asked {
  const value = parsed(text);
  if (status === 200 && value !== undefined) return ok({ text, value });
  if (status === 401) return refused({ kind: 'unreachable', detail: foreignGateway });
  const detail = detailOf(value);
  if (detail === undefined)
    return refused({ kind: 'unreachable', detail: `what answers is no gateway (status ${status})` });
  return refused({ kind: isUsage(value) ? 'usage' : 'refused', detail, problem: text });
}

/** The input is wrong, and not the state of the gateway: the command ends as with a usage error. */
function isUsage(problem: unknown): boolean {
  const code = typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : '';
  return ['missing_parameter', 'invalid_parameter', 'malformed_request'].includes(code);
}

/** The sentence of a problem, with its field as the option that it came from. */
function detailOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('detail' in value)) return undefined;
  const detail = withFigures(String(value.detail), { ...value });
  const field = 'field' in value ? String(value.field) : '';
  return field === '' || detail.startsWith(field) ? detail : `${optionOf(field)}: ${detail}`;
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}
