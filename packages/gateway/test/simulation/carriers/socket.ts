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
  /** What the process has written or holds back, by its sequence number. */
  readonly #asked = new Map<number, Asked>();
  #sequence = 0;
  #isDestroyed = false;

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
      destroy: () => this.destroy(),
      write: (bytes: Uint8Array) => this.#write(bytes),
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a link's sink needs no more of a socket
    this.#sink = sink?.(socket as unknown as Socket) ?? socket;
  }

  get room(): number {
    return Math.max(0, this.#session.room - this.#asked.size);
  }

  get inFlight(): number {
    return this.#session.inFlight + this.#asked.size;
  }

  get peerRefused(): number {
    return this.#session.peerRefused;
  }

  readonly ask: LinkSession['ask'] = (pdu, hear) => {
    if (this.#isDestroyed) {
      hear({ kind: 'closed', written: true });
      return;
    }
    const sequence = ++this.#sequence;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- submit_sm is all that links send
    this.#asked.set(sequence, [pdu, (answer) => this.#clock.act(() => hear(answer as never))]);
    this.#sink.write(headerOf(sequence));
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
    const lost = [...this.#asked.values()];
    this.#asked.clear();
    for (const [, hear] of lost) hear({ kind: 'closed', written: true });
  }

  #write(bytes: Uint8Array): boolean {
    if (this.#isDestroyed) return false;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += headerOctets) {
      const sequence = view.getUint32(at + 12);
      const asked = this.#asked.get(sequence);
      this.#asked.delete(sequence);
      if (asked) this.#ask(...asked);
    }
    return true;
  }
}

const headerOctets = 16;
const submitSm = 4;

/** The header of a submit_sm without a body. */
function headerOf(sequence: number): Uint8Array {
  const header = Buffer.alloc(headerOctets);
  header.writeUInt32BE(headerOctets, 0);
  header.writeUInt32BE(submitSm, 4);
  header.writeUInt32BE(sequence, 12);
  return header;
}
