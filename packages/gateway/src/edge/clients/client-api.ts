import type { Account } from '../../core/account/account.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { TokenScope } from '@morsel/api/values/credentials.ts';
import type { Draft } from '../../core/message/admission.ts';
import { VerifiedTokens } from '../../core/account/token.ts';
import { authenticate } from '../../flow/account/authenticate.ts';
import { cancel } from '../../flow/message/cancel.ts';
import { quote, type Quote } from '../../flow/message/quote.ts';
import { reportBalance, reportMessage } from '../../flow/message/report.ts';
import { submit, type Submission } from '../../flow/message/submit.ts';
import type { AcceptedMessage, Balance } from '../../flow/ports.ts';
import type { ReportView } from '../../store/views/message/messages.ts';

/* What the APIs of clients call. Tests put other functions in their place. */

/** Refusals are values. An exception is always a bug, and the client gets `internal_error`. */
export interface ClientApi {
  /** Succeeds only if the token allows `scope` from this IP address. A missing token is refused like a wrong token. */
  authenticate(token: string | undefined, address: string, scope: TokenScope): Result<Account, Rejection>;
  submit(account: Account, submission: Submission): Promise<Result<AcceptedMessage, Rejection>>;
  /** Calculates a message's price. Charges and stores nothing. */
  quote(account: Account, draft: Draft): Promise<Result<Quote, Rejection>>;
  /** `messageId` is the text that the client gave; it is not checked yet. With `details`, the report has the parts. */
  report(
    account: Account,
    messageId: string,
    options?: { readonly details: boolean },
  ): Promise<Result<ReportView, Rejection>>;
  /** Cancels the parts that no carrier has yet. */
  cancel(account: Account, messageId: string): Promise<Result<unknown, Rejection>>;
  balance(account: Account): Promise<Result<Balance, Rejection>>;
}

type Needs<Call extends (needs: never, ...rest: never) => unknown> = Parameters<Call>[0];
export type ClientNeeds = Omit<Needs<typeof authenticate>, 'verified'> & Needs<typeof submit> & Needs<typeof quote>;

export function clientApi(needs: ClientNeeds): ClientApi {
  const proofNeeds = { ...needs, verified: new VerifiedTokens() };
  return {
    authenticate: (token, address, scope) => authenticate(proofNeeds, { token, address, scope }),
    submit: (account, submission) => submit(needs, account, submission),
    quote: (account, draft) => quote(needs, account, draft),
    report: (account, messageId, options) => reportMessage(needs, account, { messageId, ...options }),
    cancel: (account, messageId) => cancel(needs, account, messageId),
    balance: (account) => reportBalance(needs, account),
  };
}
