import type { MessageId } from '../../core/base/message-id.ts';
import type { Command, AnyResult } from '../../state/commands.ts';

/*
 * Spans of a message, for OpenTelemetry (edge/tracing), without phone number, text or token. Without an endpoint for
 * traces there is no `Traces`.
 */

type Outcome = string;

export interface Traces {
  /** Within the trace of the client if it named one. */
  request<T>(
    of: { readonly path: string; readonly traceParent: string | undefined },
    work: () => Promise<T>,
  ): Promise<T>;
  accept<T extends { readonly ok: boolean }>(work: () => Promise<T>): Promise<T>;
  /** The message may be sent before its acceptance is answered. Returns the id. */
  named(message: MessageId): MessageId;
  commit<T>(kind: Command['kind'], work: () => Promise<T>): Promise<T>;
  /** Call the returned function with the part's outcome. */
  sending(of: {
    readonly message: MessageId;
    readonly carrier: string;
    readonly link: number;
  }): (outcome: Outcome) => void;
  /** Only receipts have a span. */
  applied(command: Command, result: AnyResult): void;
  /** `message` is the message that a receipt is about. */
  notification<T extends { readonly kind: Outcome }>(
    message: MessageId | undefined,
    work: () => Promise<T>,
  ): Promise<T>;
}
