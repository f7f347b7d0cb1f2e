import { shapes } from '@morsel/api/shapes.ts';
import { givenEcho } from '@morsel/api/values/message.ts';
import type { EndpointName } from '@morsel/api/endpoints.ts';
import type { Account } from '../../../core/account/account.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Draft } from '../../../core/message/admission.ts';
import { tokenIdOf } from '../../../core/account/token.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { BodyFields } from './body.ts';
import type { ClientApi } from '../client-api.ts';
import { readRequestFields, textOf, typesOf, type Incoming, type RequestReading } from './fields.ts';
import { parseIdempotencyKey } from './idempotency-key.ts';
import { malformed } from '../../http/request/malformed.ts';
import type { Success } from '../../http/routes.ts';
import type { Head } from '../../http/request/head.ts';
import { writeAccepted, writeBalance, writeReport, writeQuote } from './successes.ts';

/* Runs the endpoints. Each one parses a request, authenticates the client, reads the fields and calls the gateway. */

type Operation = (api: ClientApi, incoming: Incoming) => Promise<Result<Success, Rejection>>;

export const operationNames = ['send', 'quote', 'dlr', 'cancel', 'balance'] as const satisfies readonly EndpointName[];

const sendFields = typesOf(shapes.SendRequest);
const balanceFields = typesOf(shapes.BalanceRequest);
/** The contract has the id as a text, but some clients send a number, and `msgId` is accepted, too. */
const cancelFields = { ...balanceFields, messageId: 'text or integer', msgId: 'text or integer' } as const;
const reportFields = { ...cancelFields, details: 'flag' } as const;

type OperationName = (typeof operationNames)[number];
export const clientOperations: Readonly<Record<OperationName, Operation>> = { send, quote, dlr, cancel, balance };

async function send(api: ClientApi, incoming: Incoming): Promise<Result<Success, Rejection>> {
  const asked = readSending(api, incoming);
  if (!asked.ok) return asked;
  const { account, draft, token } = asked.value;
  const by = { name: tokenIdOf(token), address: incoming.address };
  const accepted = await api.submit(account, { draft, source: 'http', by });
  if (!accepted.ok) return accepted;
  const body = writeAccepted(accepted.value);
  return ok(accepted.value.isReplayed ? { body, headers: replayedHeaders } : body);
}

const replayedHeaders = { 'Idempotency-Replayed': 'true' };

async function quote(api: ClientApi, incoming: Incoming): Promise<Result<Success, Rejection>> {
  const asked = readSending(api, incoming);
  if (!asked.ok) return asked;
  const quoted = await api.quote(asked.value.account, asked.value.draft);
  return quoted.ok ? ok(writeQuote(quoted.value)) : quoted;
}

async function dlr(api: ClientApi, incoming: Incoming): Promise<Result<string, Rejection>> {
  const asked = readAsked(api, incoming, { types: reportFields, scope: 'dlr' });
  if (!asked.ok) return asked;
  const { account, reading } = asked.value;
  const messageId = messageIdIn(reading);
  if (!messageId.ok) return messageId;
  const details = readFlag(reading.fields['details'], false);
  if (details === undefined) return invalid('details', 'details must be 1 or 0');
  const report = await api.report(account, messageId.value, { details });
  return report.ok ? ok(writeReport(report.value)) : report;
}

async function cancel(api: ClientApi, incoming: Incoming): Promise<Result<string, Rejection>> {
  const asked = readAsked(api, incoming, { types: cancelFields, scope: 'send' });
  if (!asked.ok) return asked;
  const { account, reading } = asked.value;
  const messageId = messageIdIn(reading);
  if (!messageId.ok) return messageId;
  const canceled = await api.cancel(account, messageId.value);
  if (!canceled.ok) return canceled;
  const report = await api.report(account, messageId.value, { details: true });
  return report.ok ? ok(writeReport(report.value)) : report;
}

async function balance(api: ClientApi, incoming: Incoming): Promise<Result<string, Rejection>> {
  const asked = readAsked(api, incoming, { types: balanceFields, scope: 'balance' });
  if (!asked.ok) return asked;
  const held = await api.balance(asked.value.account);
  return held.ok ? ok(writeBalance(held.value)) : held;
}

function readSending(
  api: ClientApi,
  incoming: Incoming,
): Result<{ account: Account; draft: Draft; token: string }, Rejection> {
  const asked = readAsked(api, incoming, { types: sendFields, scope: 'send' });
  if (!asked.ok) return asked;
  const { account, reading } = asked.value;
  const draft = readDraft(incoming.request, reading);
  return draft.ok ? ok({ account, draft: draft.value, token: reading.token ?? '' }) : draft;
}

/** The fields of a request, and the account of its token. */
function readAsked(
  api: ClientApi,
  incoming: Incoming,
  { types, scope }: { readonly types: Parameters<typeof readRequestFields>[1]; readonly scope: TokenScope },
): Result<{ account: Account; reading: RequestReading }, Rejection> {
  const reading = readRequestFields(incoming, types);
  if (!reading.ok) return reading;
  const account = api.authenticate(reading.value.token, incoming.address, scope);
  if (account.ok) incoming.account = account.value.name;
  else if (account.error.code === 'forbidden') incoming.account = account.error.account;
  return account.ok ? ok({ account: account.value, reading: reading.value }) : account;
}

/** 1 to 9 digits, which a JavaScript number represents exactly. Admission checks the range. */
const secondsPattern = /^[0-9]{1,9}$/;

function readDraft(request: Head, reading: RequestReading): Result<Draft, Rejection> {
  const { fields, isForm } = reading;
  const key = parseIdempotencyKey(request, reading);
  if (!key.ok) return key;
  const sender = addressOf(fields['sender'], isForm);
  if (sender === '') return missing('sender');
  const receiver = addressOf(fields['receiver'], isForm);
  if (receiver === '') return missing('receiver');
  const text = textOf(fields['text']);
  if (text === '') return missing('text');
  const dcs = textOf(fields['dcs']);
  if (dcs === '') return missing('dcs');
  const validity = textOf(fields['validity']);
  if (validity !== '' && !secondsPattern.test(validity)) {
    return invalid('validity', 'validity must be a whole number of seconds');
  }
  const flash = readFlag(fields['flash'], false);
  if (flash === undefined) return invalid('flash', 'flash must be true or false');
  const storeText = readFlag(fields['storeText'], true);
  if (storeText === undefined) return invalid('storeText', 'storeText must be true or false');
  const callback = readCallbackFields(fields);
  if (!callback.ok) return callback;
  return ok({
    sender,
    receiver,
    text,
    dcs,
    ...givenEcho((name) => textOf(fields[name]) || undefined),
    validity: validity === '' ? undefined : Number(validity),
    priority: textOf(fields['priority']) || undefined,
    // An empty time is passed on to admission, which refuses it. Otherwise the message would be sent at a wrong time.
    sendAt: typeof fields['sendAt'] === 'string' ? fields['sendAt'] : undefined,
    flash,
    storeText,
    callback: callback.value,
    idempotencyKey: key.value,
  });
}

/** Admission checks the URL and the events. */
function readCallbackFields(fields: BodyFields): Result<Draft['callback'], Rejection> {
  const [url, asked] = [textOf(fields['callbackUrl']), textOf(fields['callbackEvents'])];
  const events = asked === '' ? undefined : asked.split(',').map((event) => event.trim());
  if (url !== '') return ok({ api: 'http', method: 'post-json', url, events, fields: {} });
  const detail = 'callbackEvents needs callbackUrl';
  return events ? refused({ code: 'invalid_parameter', field: 'callbackEvents', detail }) : ok(undefined);
}

/** In a form, a space before a phone number stands for a `+` that the client did not percent-encode. */
function addressOf(value: unknown, isForm: boolean): string {
  const given = textOf(value);
  const text = given.trim();
  return isForm && given.startsWith(' ') && numberPattern.test(text) ? `+${text}` : text;
}

const numberPattern = /^\(?[0-9]/;

const twoIds = malformed('the request has two different message ids: send only one', 'messageId');

const idsIn = (from: BodyFields | undefined) => [textOf(from?.['messageId']), textOf(from?.['msgId'])].filter(Boolean);

/**
 * Reads the id from `messageId` or `msgId`. A different id beside `data` or in a POST's query is refused, because the
 * client might mean the other message.
 */
function messageIdIn({ fields, outer, query }: RequestReading): Result<string, Rejection> {
  const [id, ...others] = idsIn(fields);
  if (id === undefined) return missing('messageId');
  return [...others, ...idsIn(outer), ...idsIn(query)].every((each) => each === id) ? ok(id) : twoIds;
}

function readFlag(value: unknown, otherwise: boolean): boolean | undefined {
  const flag = textOf(value);
  if (flag === '') return otherwise;
  if (flag === '0' || flag === 'false') return false;
  return flag === '1' || flag === 'true' ? true : undefined;
}

function missing(field: string): { readonly ok: false; readonly error: Rejection } {
  return refused({ code: 'missing_parameter', field });
}
