import type { MessageId } from '../../core/base/message-id.ts';
import type { Command, AnyResult } from '../../state/commands.ts';

/*
 * The spans of a message, for OpenTelemetry (edge/tracing). They have no phone number, text or token. Without an
 * endpoint for traces there is no `Traces`, and the parts below call nothing.
 */

/** What a span says about its end: a code or a state. */
type Outcome = string;

export interface Traces {
  /** An HTTP request, within the trace of the client if it named one. */
  request<T>(
    of: { readonly path: string; readonly traceParent: string | undefined },
    work: () => Promise<T>,
  ): Promise<T>;
  /** The checks and the commit of a message. */
  accept<T extends { readonly ok: boolean }>(work: () => Promise<T>): Promise<T>;
  /** The message under way has this id from now on. It may be sent before its acceptance is answered. Returns the id. */
  named(message: MessageId): MessageId;
  /** The commit of a command, within the span under way. */
  commit<T>(kind: Command['kind'], work: () => Promise<T>): Promise<T>;
  /** A part is given to a link. Call the returned function with its outcome. */
  sending(of: {
    readonly message: MessageId;
    readonly carrier: string;
    readonly link: number;
  }): (outcome: Outcome) => void;
  /** A command was applied. Only receipts have a span. */
  applied(command: Command, result: AnyResult): void;
  /** A notification is delivered. `message` is the message that it is about, if it is a receipt. */
  notification<T extends { readonly kind: Outcome }>(
    message: MessageId | undefined,
    work: () => Promise<T>,
  ): Promise<T>;
}
