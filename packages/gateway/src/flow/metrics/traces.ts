import type { MessageId } from '../../core/base/message-id.ts';
import type { Command, AnyResult } from '../../state/commands.ts';

/*
 * Spans of a message, for OpenTelemetry (edge/tracing), without phone number, text or token. Without an endpoint for
 * traces there is no `Traces`.
 */

type Outcome = string;

export interface Traces {
  /** Runs a request in a span, which belongs to the client's trace if the client named one. */
  request<T>(
    of: { readonly path: string; readonly traceParent: string | undefined },
    work: () => Promise<T>,
  ): Promise<T>;
  accept<T extends { readonly ok: boolean }>(work: () => Promise<T>): Promise<T>;
  /** Names the message of a request, because its parts may be sent before the request ends. Returns the id. */
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
