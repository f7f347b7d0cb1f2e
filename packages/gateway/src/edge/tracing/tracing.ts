/*
 * Exports spans to an OpenTelemetry collector. This file is loaded only if an endpoint is set. Spans wait in memory,
 * and are dropped if the collector does not take them.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { MessageId } from '../../core/base/message-id.ts';
import type { Traces } from '../../flow/metrics/traces.ts';
import { version } from '../../runtime/version.ts';
import type { AnyResult, Command } from '../../state/commands.ts';

export interface TracingOptions {
  /** The URL that takes traces over OTLP with HTTP and JSON. */
  readonly url: string;
  readonly service: string;
}

/** The most messages whose trace is remembered, so that later spans join it. At full load this is a few minutes. */
const messagesMax = 50_000;

const traceParentForm = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/;

export class Tracing implements Traces, AsyncDisposable {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #now = new AsyncLocalStorage<Context>();
  readonly #ofMessages = new Map<MessageId, SpanContext>();

  constructor({ url, service }: TracingOptions) {
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
      spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
    });
    this.#tracer = this.#provider.getTracer('morsel', version);
  }

  request<T>({ path, traceParent }: Parameters<Traces['request']>[0], work: () => Promise<T>): Promise<T> {
    const attributes = { 'http.route': path };
    const parent = contextOf(traceParent);
    const span = this.#tracer.startSpan(`request ${path}`, { kind: SpanKind.SERVER, attributes }, parent);
    return this.#within(span, parent, work);
  }

  accept<T extends { readonly ok: boolean }>(work: () => Promise<T>): Promise<T> {
    const parent = this.#now.getStore() ?? ROOT_CONTEXT;
    const span = this.#tracer.startSpan('accept', {}, parent);
    return this.#within(span, parent, work, ({ ok }) => {
      if (!ok) span.setStatus({ code: SpanStatusCode.ERROR });
    });
  }

  named(message: MessageId): MessageId {
    const within = trace.getSpanContext(this.#now.getStore() ?? ROOT_CONTEXT);
    if (within) this.#remember(message, within);
    return message;
  }

  commit<T>(kind: Command['kind'], work: () => Promise<T>): Promise<T> {
    const parent = this.#now.getStore() ?? ROOT_CONTEXT;
    const span = this.#tracer.startSpan('commit', { attributes: { 'morsel.command': kind } }, parent);
    return this.#within(span, parent, work);
  }

  sending({ message, carrier, link }: Parameters<Traces['sending']>[0]): (outcome: string) => void {
    const attributes = { 'morsel.carrier': carrier, 'morsel.link': link };
    const parent = this.#traceOf(message);
    const span = this.#tracer.startSpan('submit_sm', { kind: SpanKind.CLIENT, attributes }, parent);
    return (outcome) => {
      span.setAttribute('morsel.outcome', outcome);
      span.end();
    };
  }

  applied(command: Command, result: AnyResult): void {
    if (command.kind !== 'receipt' || !result.ok || !result.value || !('became' in result.value)) return;
    const { became } = result.value;
    const message = 'message' in result.value ? result.value.message : undefined;
    const parent = this.#traceOf(message);
    const attributes = { 'morsel.result': became };
    this.#tracer.startSpan('receipt', { kind: SpanKind.CONSUMER, startTime: command.at, attributes }, parent).end();
  }

  notification<T extends { readonly kind: string }>(
    message: MessageId | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const parent = this.#traceOf(message);
    const span = this.#tracer.startSpan('notification', { kind: SpanKind.CLIENT }, parent);
    return this.#within(span, parent, work, ({ kind }) => span.setAttribute('morsel.outcome', kind));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider.shutdown().catch(() => undefined);
  }

  async #within<T>(span: Span, parent: Context, work: () => Promise<T>, end?: (done: T) => void): Promise<T> {
    try {
      const done = await this.#now.run(trace.setSpan(parent, span), work);
      end?.(done);
      return done;
    } finally {
      span.end();
    }
  }

  #traceOf(message: MessageId | undefined): Context {
    const known = message === undefined ? undefined : this.#ofMessages.get(message);
    return known ? trace.setSpanContext(ROOT_CONTEXT, known) : ROOT_CONTEXT;
  }

  #remember(id: MessageId, context: SpanContext): void {
    this.#ofMessages.set(id, context);
    if (this.#ofMessages.size <= messagesMax) return;
    for (const [oldest] of this.#ofMessages) {
      this.#ofMessages.delete(oldest);
      return;
    }
  }
}

/** If the header is invalid, a new trace begins. */
function contextOf(traceParent: string | undefined): Context {
  const [, traceId, spanId, flags = '00'] = traceParentForm.exec(traceParent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}
