/* The sockets of a process that may pause: what a carrier sends waits in them, and so may what the process writes. */

import type { Socket } from 'node:net';
import type { bindLink, LinkSession } from '../../../src/edge/carriers/smpp/bind.ts';
import type { ProcessClock } from '../world.ts';

type BindOptions = Parameters<typeof bindLink>[1];
type Asked = Parameters<LinkSession['ask']>;

/** Binds over a socket that the process reads only while it runs. `sends` is called before each submit. */
export function overSockets(bind: typeof bindLink, clock: ProcessClock, sends: () => void): typeof bindLink {
  return (settings, options) =>
    inProcess(clock, async () => {
      const session = await bind(settings, optionsIn(clock, options));
      const ask: LinkSession['ask'] = (...asked) => {
        sends();
        session.ask(...asked);
      };
      return new SimSocket({ session, ask }, clock, options);
    });
}

/** A promise that a process notices only while it runs. */
export function inProcess<T>(clock: ProcessClock, call: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    call().then(
      (value) => clock.act(() => resolve(value)),
      (fault: unknown) => clock.act(() => reject(fault)),
    );
  });
}

function optionsIn(clock: ProcessClock, options: BindOptions): BindOptions {
  return {
    ...options,
    onRequest: (pdu, respond, bytes) =>
      clock.act(() =>
        options.onRequest(
          pdu,
          (status, fields, settle) => respond(status, fields, settle && ((isRead) => clock.act(() => settle(isRead)))),
          bytes,
        ),
      ),
    onClose: (...of) => clock.act(() => options.onClose?.(...of)),
    onRoom: () => clock.act(() => options.onRoom?.()),
    onStray: (...of) => clock.act(() => options.onStray?.(...of)),
  };
}

class SimSocket implements LinkSession {
  readonly #session: LinkSession;
  readonly #ask: LinkSession['ask'];
  readonly #clock: ProcessClock;
  readonly #sink: { write(bytes: Uint8Array): boolean };
  /** What is written while the socket holds it back. */
  readonly #corked: Asked[] = [];
  #isCorked = false;
  #isDestroyed = false;
  #asked: Asked | undefined;

  constructor(
    { session, ask }: { readonly session: LinkSession; readonly ask: LinkSession['ask'] },
    clock: ProcessClock,
    { sink }: BindOptions,
  ) {
    this.#session = session;
    this.#ask = ask;
    this.#clock = clock;
    const socket = {
      writableLength: 0,
      cork: () => (this.#isCorked = true),
      uncork: () => this.#uncork(),
      destroy: () => this.destroy(),
      write: () => this.#write(),
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a link's sink needs no more of a socket
    this.#sink = sink?.(socket as unknown as Socket) ?? socket;
  }

  get room(): number {
    return Math.max(0, this.#session.room - this.#corked.length);
  }

  get inFlight(): number {
    return this.#session.inFlight + this.#corked.length;
  }

  get peerRefused(): number {
    return this.#session.peerRefused;
  }

  readonly ask: LinkSession['ask'] = (pdu, hear) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- submit_sm is all that links send
    this.#asked = [pdu, (answer) => this.#clock.act(() => hear(answer as never))];
    this.#sink.write(new Uint8Array());
    const lost = this.#asked;
    this.#asked = undefined;
    lost?.[1]({ kind: 'closed', written: true });
  };

  adjust(...of: Parameters<LinkSession['adjust']>): void {
    this.#session.adjust(...of);
  }

  unbind(): ReturnType<LinkSession['unbind']> {
    return inProcess(this.#clock, () => this.#session.unbind());
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#session.destroy();
    for (const [, hear] of this.#corked.splice(0)) hear({ kind: 'closed', written: true });
  }

  #write(): boolean {
    const asked = this.#asked;
    this.#asked = undefined;
    if (!asked || this.#isDestroyed) return false;
    if (this.#isCorked) this.#corked.push(asked);
    else this.#ask(...asked);
    return true;
  }

  #uncork(): void {
    this.#isCorked = false;
    for (const asked of this.#corked.splice(0)) this.#ask(...asked);
  }
}
