import type { Socket } from 'node:net';
import {
  connect,
  type ConnectOptions,
  type Session,
  type SessionAdjustment,
  type SessionHandlers,
  type SessionOptions,
  type Sink,
} from '@morsel/smpp';
import type { SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import type { CarrierOf } from '../../../core/routing/carrier.ts';
import type { LinkTools } from '../../../flow/routing/carrier-link.ts';

/*
 * Binds to a carrier: as one transceiver, or as a transmitter and a receiver that act as one session. Decides when to
 * try again.
 */

/** A pair of transmitter and receiver sessions has the same methods and properties as a single session. */
export type LinkSession = Pick<Session, 'room' | 'inFlight' | 'peerRefused' | 'ask' | 'adjust' | 'unbind' | 'destroy'>;

type BindOptions = SessionHandlers & SessionOptions & { readonly signal: AbortSignal };

/** The limits of a session, from the carrier's settings. They apply at the bind and after each change of settings. */
export function sessionLimits({
  window,
  settings: { profile },
}: CarrierOf<'smpp'>): Required<Omit<SessionAdjustment, 'peerWindowMax'>> {
  return {
    windowMax: window,
    responseTimeoutMs: profile.answerTimeoutMs,
    enquireLinkMs: profile.enquireLinkMs,
  };
}

const submitSm = 0x00000004;

/**
 * Closes the socket if this node may not act. A process that was stopped for longer than its lease has parts that
 * another node may send already (P7). While this is uncertain, parts are held back. Other PDUs keep the session alive.
 */
export function sinkWhile({ isAlive, whenCertain }: Pick<LinkTools, 'isAlive' | 'whenCertain'>, socket: Socket): Sink {
  let held: Uint8Array[] = [];
  const goOn = () => {
    const again = whenCertain();
    if (again) {
      void again.then(goOn);
      return;
    }
    const bytes = Buffer.concat(held);
    held = [];
    if (isAlive()) socket.write(bytes);
    else socket.destroy();
  };
  return {
    get writableLength() {
      return held.reduce((sum, { length }) => sum + length, socket.writableLength);
    },
    write(bytes) {
      if (!isAlive()) {
        socket.destroy();
        return false;
      }
      const certain = whenCertain();
      if (held.length === 0 && !certain) return socket.write(bytes);
      const { parts = [], others = [] } = Object.groupBy(pdusOf(bytes), (pdu) =>
        pdu.readUInt32BE(4) === submitSm ? 'parts' : 'others',
      );
      if (held.length === 0 && parts.length > 0) void certain?.then(goOn);
      held.push(...parts);
      return others.length === 0 || socket.write(Buffer.concat(others));
    },
  };
}

/** Splits octets that are whole PDUs: each begins with its length (SMPP 3.4, 3.2). */
function pdusOf({ buffer, byteOffset, length }: Uint8Array): Buffer[] {
  const octets = Buffer.from(buffer, byteOffset, length);
  const pdus: Buffer[] = [];
  for (let at = 0, end = 0; at < length; at = end) {
    end = at + octets.readUInt32BE(at);
    pdus.push(octets.subarray(at, end));
  }
  return pdus;
}

const interfaceVersions = { '3.3': 0x33, '3.4': 0x34, '5.0': 0x50 } as const;

/**
 * Binds one transceiver, or a transmitter and a receiver that end together. `onClose` is called once, after all
 * sessions of the link have ended. Rejects with ConnectError if a bind fails.
 */
export async function bindLink(settings: SmppSettings, options: BindOptions): Promise<LinkSession> {
  const [first, second] = bindsOf(settings);
  if (!second) return connect(connectOptions(first, options));
  const pair = new Pair(options);
  const receiver = await connect(connectOptions(first, pair.receiverOptions));
  try {
    const transmitter = await connect(connectOptions(second, pair.transmitterOptions));
    return pair.of(transmitter, receiver);
  } catch (fault) {
    pair.giveUp();
    receiver.destroy();
    throw fault;
  }
}

export interface LinkBind {
  readonly command: 'bind_transceiver' | 'bind_transmitter' | 'bind_receiver';
  readonly settings: SmppSettings;
}

/** The binds of a link, in order. The receiver binds first, so that it gets the receipts of all submitted messages. */
export function bindsOf(settings: SmppSettings): readonly [LinkBind, LinkBind?] {
  if (settings.profile.bind === 'transceiver') return [{ command: 'bind_transceiver', settings }];
  return [
    { command: 'bind_receiver', settings: asReceiver(settings) },
    { command: 'bind_transmitter', settings },
  ];
}

export function connectOptions({ command, settings }: LinkBind, options: BindOptions): ConnectOptions {
  const { host, port, systemId, password, systemType, profile } = settings;
  const tls = tlsOf(settings);
  return {
    ...options,
    host,
    port,
    ...(tls ? { tls } : {}),
    bind: {
      command,
      system_id: systemId,
      password,
      system_type: systemType,
      interface_version: interfaceVersions[profile.version],
      address_range: profile.addressRange,
    },
  };
}

function asReceiver(settings: SmppSettings): SmppSettings {
  const { profile } = settings;
  return {
    ...settings,
    host: profile.receiverHost ?? settings.host,
    port: profile.receiverPort ?? settings.port,
    systemId: profile.receiverSystemId ?? settings.systemId,
    password: settings.receiverPassword ?? settings.password,
  };
}

function tlsOf({ profile, tlsKey }: SmppSettings): ConnectOptions['tls'] {
  if (profile.tls === 'off') return undefined;
  return {
    verify: profile.tls === 'on',
    ...(profile.tlsServerName === null ? {} : { servername: profile.tlsServerName }),
    ...(profile.tlsCa === null ? {} : { ca: profile.tlsCa }),
    ...(profile.tlsCertificate === null || tlsKey === null ? {} : { cert: profile.tlsCertificate, key: tlsKey }),
  };
}

/**
 * Parts are sent over the transmitter; requests are accepted from both sessions. When one session ends, the other
 * session unbinds, too.
 */
class Pair implements LinkSession {
  readonly #options: BindOptions;
  #transmitter: Session | undefined;
  #receiver: Session | undefined;
  #open = 2;
  #isGivenUp = false;

  constructor(options: BindOptions) {
    this.#options = options;
  }

  get receiverOptions(): BindOptions {
    return { ...this.#options, onClose: this.#closed };
  }

  get transmitterOptions(): BindOptions {
    return { ...this.#options, onClose: this.#closed };
  }

  of(transmitter: Session, receiver: Session): this {
    this.#transmitter = transmitter;
    this.#receiver = receiver;
    // The receiver session may have ended while the transmitter was binding.
    if (this.#open < 2) void transmitter.unbind();
    return this;
  }

  /** Call this if the second bind fails. Does not call `onClose`, because the pair was never complete. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  get room(): number {
    return this.#transmitter?.room ?? 0;
  }

  get inFlight(): number {
    return this.#transmitter?.inFlight ?? 0;
  }

  get peerRefused(): number {
    return (this.#transmitter?.peerRefused ?? 0) + (this.#receiver?.peerRefused ?? 0);
  }

  readonly ask: Session['ask'] = (pdu, onAnswer) => {
    if (this.#transmitter) this.#transmitter.ask(pdu, onAnswer);
    else onAnswer({ kind: 'closed', written: false });
  };

  readonly adjust: Session['adjust'] = (adjustment) => {
    this.#transmitter?.adjust(adjustment);
    this.#receiver?.adjust(adjustment);
  };

  /** Unbinds the transmitter first, so that receipts still arrive while the last submit_sm are answered. */
  async unbind(): ReturnType<Session['unbind']> {
    const reason = await this.#transmitter?.unbind();
    await this.#receiver?.unbind();
    return reason ?? 'destroyed';
  }

  destroy(): void {
    this.#transmitter?.destroy();
    this.#receiver?.destroy();
  }

  readonly #closed: NonNullable<SessionHandlers['onClose']> = (reason, error) => {
    this.#open -= 1;
    if (this.#isGivenUp) return;
    if (this.#open > 0) {
      void this.unbind();
      return;
    }
    this.#options.onClose?.(reason, error);
  };
}

const failuresMax = 16;

/** The shortest wait after a refused system_id or password. Some carriers ban the IP address of a hasty client. */
export const credentialsBackOffMs = 60_000;

export const wrongCredentials = new Set([0x0e /* ESME_RINVPASWD */, 0x0f /* ESME_RINVSYSID */]);

/** The wait before the next bind grows exponentially up to a cap. Random jitter keeps links from connecting at once. */
export class BackOff {
  #failures = 0;

  /** `chance` is a random number from 0 to 1. */
  nextMs(bounds: { readonly backOffMinMs: number; readonly backOffMaxMs: number }, chance: number): number {
    const cap = Math.min(bounds.backOffMaxMs, bounds.backOffMinMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, failuresMax);
    return cap / 2 + (chance * cap) / 2;
  }

  reset(): void {
    this.#failures = 0;
  }
}
