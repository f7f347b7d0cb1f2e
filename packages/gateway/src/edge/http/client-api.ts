import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { Draft } from '../../core/message/admission.ts';
import type { AcceptedMessage, Balance, MessageReport, Submitter } from '../../flow/ports.ts';
import type { Quote } from '../../flow/message/quote.ts';

/** Everything a client can do over HTTP. Refusals are values. Anything thrown is a bug and becomes `internal_error`. */
export interface ClientApi {
  /** The account of the token, if the token allows `scope` from this address. A missing token is refused like a wrong one. */
  authenticate(token: string | undefined, address: string, scope: TokenScope): Result<Account, Rejection>;
  submit(account: Account, draft: Draft, by?: Submitter): Promise<Result<AcceptedMessage, Rejection>>;
  /** What submitting the draft would cost now. It charges and stores nothing. */
  quote(account: Account, draft: Draft): Promise<Result<Quote, Rejection>>;
  /** `messageId` is the client's text, not checked yet. */
  report(
    account: Account,
    messageId: string,
    options: { readonly details: boolean },
  ): Promise<Result<MessageReport, Rejection>>;
  /** Cancels the parts that were not sent yet. Returns the report after that, with details. */
  cancel(account: Account, messageId: string): Promise<Result<MessageReport, Rejection>>;
  balance(account: Account): Promise<Result<Balance, Rejection>>;
}
