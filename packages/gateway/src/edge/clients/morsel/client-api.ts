import type { Account } from '../../../core/account/account.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { Draft } from '../../../core/message/admission.ts';
import type { AcceptedMessage, Balance, Submitter } from '../../../flow/ports.ts';
import type { ReportView } from '../../../store/views/message/messages.ts';
import type { Quote } from '../../../flow/message/quote.ts';

/** Refusals are values. An exception is always a bug, and the client gets `internal_error`. */
export interface ClientApi {
  /** Succeeds only if the token allows `scope` from this IP address. A missing token is refused like a wrong token. */
  authenticate(token: string | undefined, address: string, scope: TokenScope): Result<Account, Rejection>;
  submit(account: Account, draft: Draft, by?: Submitter): Promise<Result<AcceptedMessage, Rejection>>;
  /** Calculates a message's price. Charges and stores nothing. */
  quote(account: Account, draft: Draft): Promise<Result<Quote, Rejection>>;
  /** `messageId` is the text that the client gave; it is not checked yet. */
  report(
    account: Account,
    messageId: string,
    options: { readonly details: boolean },
  ): Promise<Result<ReportView, Rejection>>;
  /** Cancels the parts that no carrier has yet. Returns the report after the cancellation, with its parts. */
  cancel(account: Account, messageId: string): Promise<Result<ReportView, Rejection>>;
  balance(account: Account): Promise<Result<Balance, Rejection>>;
}
