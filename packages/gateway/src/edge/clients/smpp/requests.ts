import { statuses, type PduOf, type RequestName, type Respond } from '@morsel/smpp';
import type { Rejection } from '../../../core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { MessageStanding } from '../../../flow/message/report.ts';
import { submitSmStatus, submitSmText } from '../../refusals.ts';
import type { ClientApi } from '../client-api.ts';
import { describeBug } from '../../../runtime/bug.ts';
import type { RefusalLog } from '../../refusal-log.ts';
import { findTooLong } from './field-lengths.ts';
import { namesMessage, queryAnswer } from './query-sm.ts';
import { readSubmission } from './read-submit-sm.ts';
import { notOffered, saying } from './saying.ts';
import type { ClientSession } from './sessions.ts';

/* Answers the requests of bound clients: submit_sm, data_sm, query_sm and cancel_sm. */

type From = Pick<ClientSession, 'account' | 'id' | 'session' | 'submits'>;

/** An exception is always a bug, and the client gets ESME_RSYSERR. */
export interface SessionApi extends Pick<ClientApi, 'submit' | 'report' | 'cancel'> {
  readonly now: () => Instant;
  readonly log: { error(fields: Readonly<Record<string, unknown>>, message: string): void };
  readonly refusals?: Pick<RefusalLog, 'note'>;
}

const done = statuses.ESME_ROK;
const unknownCommand = statuses.ESME_RINVCMDID;
const systemError = statuses.ESME_RSYSERR;
const queryFail = statuses.ESME_RQUERYFAIL;
const cancelFail = statuses.ESME_RCANCELFAIL;

/**
 * Answers a request exactly once, at any time, in any order. Never throws. An answer after the session's end is
 * dropped.
 */
export function answerRequest(api: SessionApi, from: From, request: Request): void {
  const { pdu, respond } = request;
  answering(api, from, request)?.catch((fault: unknown) => {
    api.log.error(
      { command: pdu.command, ...describeBug(fault) },
      'internal error while answering an SMPP request of a client',
    );
    try {
      respond(systemError);
    } catch {
      // The request was answered before the exception, so this second answer failed.
    }
  });
}

function answering(api: SessionApi, from: From, { pdu, respond }: Request): Promise<void> | undefined {
  switch (pdu.command) {
    case 'submit_sm':
    case 'data_sm':
      return submit(api, from, { pdu, respond });
    case 'query_sm':
      return query(api, from, { pdu, respond });
    case 'cancel_sm':
      return cancel(api, from, { pdu, respond });
    default:
      // The gateway does not support this command, for example submit_multi, replace_sm or broadcast_sm.
      respond(unknownCommand, saying(from.session, notOffered(pdu.command)));
      return undefined;
  }
}

interface Request<Name extends RequestName = RequestName> {
  readonly pdu: PduOf<Name>;
  readonly respond: Respond;
}

async function submit(api: SessionApi, from: From, { pdu, respond }: Request<'submit_sm' | 'data_sm'>): Promise<void> {
  const account = from.account();
  const draft = readSubmission(pdu, { now: api.now, defaultCoding: account.defaultCoding });
  const { system_id: name, address } = from.session.peer;
  const by = { name, address, session: from.id };
  const accepted = draft.ok ? await api.submit(account, { draft: draft.value, source: 'smpp', by }) : draft;
  from.submits[accepted.ok ? 'accepted' : 'refused'] += 1;
  if (accepted.ok) respond(done, { message_id: String(accepted.value.msgId) });
  else refuse(api, from, { pdu, respond, rejection: accepted.error });
}

async function query(api: SessionApi, from: From, { pdu, respond }: Request<'query_sm'>): Promise<void> {
  const standing = await standingOf(api, from, pdu);
  if (standing.ok) respond(done, queryAnswer(pdu.message_id, standing.value, from.session.version));
  else refuse(api, from, { pdu, respond, rejection: standing.error, unknownId: queryFail });
}

async function cancel(api: SessionApi, from: From, { pdu, respond }: Request<'cancel_sm'>): Promise<void> {
  const { message_id: messageId } = pdu;
  const tooLong = findTooLong(pdu);
  if (tooLong) return refuse(api, from, { pdu, respond, rejection: tooLong });
  if (messageId === '') {
    respond(cancelFail, saying(from.session, 'message_id is missing: cancel_sm needs the id of one message'));
    return;
  }
  const isNamed = pdu.source_addr !== '' || pdu.destination_addr !== '';
  const standing = isNamed ? await standingOf(api, from, pdu) : ok(undefined);
  const canceled = standing.ok ? await api.cancel(from.account(), messageId) : standing;
  if (canceled.ok) respond(done);
  else refuse(api, from, { pdu, respond, rejection: canceled.error, unknownId: cancelFail });
}

/** The state of the message that a client names, by its id and its addresses. */
async function standingOf(
  api: SessionApi,
  from: From,
  pdu: PduOf<'query_sm' | 'cancel_sm'>,
): Promise<Result<MessageStanding, Rejection>> {
  const tooLong = findTooLong(pdu);
  if (tooLong) return refused(tooLong);
  const standing = await api.report(from.account(), pdu.message_id);
  return standing.ok && !namesMessage(pdu, standing.value) ? refused({ code: 'message_not_found' }) : standing;
}

interface Refused extends Request {
  readonly rejection: Rejection;
  /** The command_status that this command uses for an unknown message id. */
  readonly unknownId?: number;
}

function refuse({ refusals }: SessionApi, from: From, { pdu, respond, rejection, unknownId }: Refused): void {
  const { command, sequence_number: sequence } = pdu;
  refusals?.note(rejection, { session: from.id, sequence, account: from.account().name, command });
  const isUnknown = unknownId !== undefined && rejection.code === 'message_not_found';
  const commandStatus = isUnknown ? unknownId : submitSmStatus(rejection, from.session.version);
  respond(commandStatus, saying(from.session, submitSmText(rejection)));
}
