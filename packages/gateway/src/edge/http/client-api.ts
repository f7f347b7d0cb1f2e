import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { TokenScope } from '@morsel/api/values/token.ts';
import type { Draft } from '../../core/message/admission.ts';
import type { AcceptedMessage, Balance, DeliveryReport, Submitter } from '../../flow/ports.ts';
import type { Quote } from '../../flow/message/quote.ts';

/** What a client can do through HTTP. Refusals are values; what it throws is a bug and becomes `internal_error`. */
export interface ClientApi {
  /**
   * The account that the token proves, if it is good for `scope` from this IP address. A missing token is refused like a
   * wrong one.
   */
  authenticate(token: string | undefined, address: string, scope: TokenScope): Result<Account, Rejection>;
  submit(account: Account, draft: Draft, by?: Submitter): Promise<Result<AcceptedMessage, Rejection>>;
  /** What the same draft would cost if it were submitted now; it charges and keeps nothing. */
  quote(account: Account, draft: Draft): Promise<Result<Quote, Rejection>>;
  /** `messageId` is what the client sent, whatever it is. */
  delivery(
    account: Account,
    messageId: string,
    options: { readonly details: boolean },
  ): Promise<Result<DeliveryReport, Rejection>>;
  /** Cancels what was not sent yet; the report, with details, tells how the message stands then. */
  cancel(account: Account, messageId: string): Promise<Result<DeliveryReport, Rejection>>;
  balance(account: Account): Promise<Result<Balance, Rejection>>;
}
