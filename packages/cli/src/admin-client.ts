import { printable } from '@morsel/api/fields/shown.ts';
import { userInfo } from 'node:os';
import { namesDataDirectory, readConfig } from '@morsel/gateway/config.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import {
  askOperation,
  askRows,
  callsOf,
  deadlineMsOf,
  type AdminAnswer,
  type AdminCalls,
  type AdminFailure,
  type AdminProblem,
  type RowForm,
} from '@morsel/api/admin/client.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { readAdminAddress, readOperatorKey } from '@morsel/gateway/edge/admin/operator-files.ts';
import { readLogin, trustAlso, type Login } from './access/login-file.ts';
import { askingDemo, demoRunsBeside } from './running/demo-directory.ts';
import { labelled } from './given.ts';
import { ownName } from './running/own-name.ts';
import { usage, type Failure, type Shell } from './command.ts';

/* Sends operations to the gateway of the login or of the data directory, and turns its refusals into failures of commands. */

/** Calls an operation. A refusal keeps the gateway's own message. */
export async function askGateway(
  shell: Pick<Shell, 'environment' | 'said' | 'warn'>,
  operation: Operation,
  given: { readonly [field: string]: unknown },
): Promise<Result<AdminAnswer<unknown>, Failure>> {
  const place = gatewayPlace(shell);
  if (!place.ok) return place;
  const { base, key, ca, dataDir } = place.value;
  if (ca !== undefined) await trustAlso(ca);
  const actor = shell.said?.actor ?? (dataDir === undefined ? undefined : userOfThisMachine());
  // Changes and disclosures have an entry in the audit log, which needs actor and reason.
  const said = operation.isChange || operation.discloses ? { ...shell.said, actor } : {};
  const answer = await askOperation({ base, credentials: { key, ...said }, operation, given });
  if (!answer.ok) return refused(failureIn(answer.error, operation, place.value));
  const { lateNodes } = answer.value;
  if (lateNodes !== undefined)
    shell.warn(
      `done, but these nodes do not use it yet: ${printable(lateNodes)}. They use it within a minute, or end; see node list`,
    );
  return answer;
}

/** Calls an operation that lists rows, and passes on CSV or JSON lines as they arrive. */
export async function askGatewayRows(
  shell: Pick<Shell, 'environment'>,
  { operation, given, form }: { operation: Operation; given: { readonly [field: string]: unknown }; form: RowForm },
  take: (text: string) => void,
): Promise<Result<undefined, Failure>> {
  const place = gatewayPlace(shell);
  if (!place.ok) return place;
  const { base, key, ca } = place.value;
  if (ca !== undefined) await trustAlso(ca);
  const answer = await askRows({ base, credentials: { key }, operation, given, form }, take);
  return answer.ok ? answer : refused(failureIn(answer.error, operation, place.value));
}

/** A typed client, for commands that call more than one operation. */
export function gatewayCalls(shell: Pick<Shell, 'environment' | 'said' | 'warn'>): AdminCalls<Failure> {
  return callsOf((operation, given) => askGateway(shell, operation, given));
}

function userOfThisMachine(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // The system may have no name for the user id of this process.
    return undefined;
  }
}

interface Place extends Omit<Login, 'url'> {
  readonly base: string;
  readonly dataDir?: string;
}

/** The gateway of the login, unless the environment names a data directory. */
export function gatewayPlace({ environment }: Pick<Shell, 'environment'>): Result<Place, Failure> {
  const login = namesDataDirectory(environment) ? ok(undefined) : readLogin(environment);
  if (!login.ok) return refused({ kind: 'refused', detail: login.error });
  if (login.value) {
    const { url: base, ...rest } = login.value;
    return ok({ base, ...rest });
  }
  const config = readConfig(environment);
  if (!config.ok) return refused(usage(config.error));
  const { dataDir } = config.value;
  const address = readAdminAddress(dataDir);
  if (!address) return refused(notRunning(dataDir));
  const key = readOperatorKey(dataDir);
  if (!key.ok) return refused({ kind: 'unreachable', detail: key.error });
  return ok({ base: `http://${hostAndPort(address.host, address.port)}`, key: key.value, dataDir });
}

const foreignGateway =
  'the gateway that answers refused the operator key of this data directory: it belongs to another data directory';

export function failureIn(
  failure: AdminFailure,
  operation: Operation,
  { base, dataDir }: Pick<Place, 'base' | 'dataDir'>,
): Failure {
  if (failure.kind === 'unreachable') {
    if (failure.code === 'ECONNREFUSED' && dataDir !== undefined) return notRunning(dataDir);
    return { kind: 'unreachable', detail: unreachableBecause(failure.code, { base, operation }) };
  }
  const { problem, status, text } = failure;
  if (status === 401) {
    const refusedKey = `the gateway at ${base} refused the operator key: the key is wrong, revoked or expired; use morsel login with another one`;
    return { kind: 'unreachable', detail: dataDir === undefined ? refusedKey : foreignGateway };
  }
  const detail = labelled(
    withFigures(problem),
    { input: operation.input, named: operation.command?.arguments },
    problem.field,
  );
  return { kind: isUsage(problem) ? 'usage' : 'refused', detail, code: problem.code, problem: text };
}

function unreachableBecause(
  code: string,
  { base: address, operation }: { readonly base: string; readonly operation: Operation },
): string {
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `nothing answers at ${address}`;
    case 'TimeoutError':
      return `the gateway did not answer within ${deadlineMsOf(operation) / secondMs} s: check whether the change was made before you repeat the command`;
    case 'cut off':
      return 'the gateway closed the connection in the middle of its answer: check whether the change was made before you repeat the command';
    case 'ECONNREFUSED':
      return `no gateway runs at ${address}`;
    default:
      if (untrusted.includes(code)) {
        return `the certificate of ${address} cannot be verified (${code}): give the certificate of its authority with morsel login --ca-file`;
      }
      return code.startsWith('status ')
        ? `the program that answers at ${address} is not a Morsel gateway (${code})`
        : `the gateway at ${address} cannot be reached: ${code}`;
  }
}

/** Codes of OpenSSL for a certificate whose authority is not known. */
const untrusted = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];

/** A command never guesses which gateway to use. If only the demo runs, the error says how to use it. */
function notRunning(dataDir: string): Failure {
  const instead = demoRunsBeside(dataDir) ? `; to use the demo, set ${askingDemo()}` : '';
  return {
    kind: 'unreachable',
    detail: `no gateway runs on ${dataDir}: start one with "${ownName} serve", or set MORSEL_DATA_DIR to the data directory of a running gateway${instead}`,
  };
}

/** Whether the input was wrong. The command then ends with the exit status of a usage error. */
function isUsage({ code }: AdminProblem): boolean {
  return ['missing_parameter', 'invalid_parameter', 'malformed_request'].includes(code);
}

/** The detail of a refusal with its amounts, which otherwise only programs would see. */
function withFigures({ code, detail, ...members }: AdminProblem): string {
  const of = (member: string) => (typeof members[member] === 'string' ? printable(members[member]) : '');
  const currency = of('clientCurrency');
  switch (code) {
    case 'insufficient_balance':
      return `${detail}: it costs ${of('totalCost')} ${currency}, and the balance is ${of('clientBalance')} ${currency}`;
    case 'spend_cap_reached':
      return `${detail}: it costs ${of('totalCost')} ${currency}, ${of('spent')} of ${of('cap')} ${currency} are spent, and the ${of('period')} ends at ${of('endsAt')}`;
    default:
      return detail;
  }
}
