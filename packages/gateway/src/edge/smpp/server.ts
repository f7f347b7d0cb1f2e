import { listen } from '@morsel/smpp';
import type { Server, ServerTls } from '@morsel/smpp';
import { BindFailures } from '../../core/account/bind-failures.ts';
import { LastBinds } from '../../flow/account/last-binds.ts';
import type { Journal } from '../../store/journal.ts';
import { describeBug } from '../../runtime/bug.ts';
import { RefusalLog } from '../refusal-log.ts';
import { Admissions } from './admission.ts';
import type { AdmissionNeeds } from './admission.ts';
import { CertificateWatch, readCertificate } from './certificates.ts';
import type { CertificateFiles } from './certificates.ts';
import type { Sessions } from './sessions.ts';

/** Where clients bind; what is null is off. */
export interface SmppPorts {
  readonly plain: { readonly host: string; readonly port: number } | null;
  readonly tls: (CertificateFiles & { readonly host: string; readonly port: number }) | null;
}

interface SmppListenersNeeds extends Omit<AdmissionNeeds, 'failures' | 'bound' | 'refusals'> {
  readonly journal: Pick<Journal, 'append'>;
  readonly log: {
    info(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Connections of a port, bound or not. */
  readonly connectionsMax: number;
}

/** What stands in the way of listening, in words for the operator. */
export class CertificateRefused extends Error {}

/** What we are called in the answer to a bind. */
const ourSystemId = 'morsel';

/** Of the unbound, two hundred of one address: a client with many sessions binds all of them at once after a break. */
const unboundMax = 1_000;
const unboundOfAddressMax = 200;
/** What a client may leave unread: answers to all of its window, and a long message or two; then it gets no more, and is ended. */
const outputHighOctets = 128 * 1024;
const outputMaxOctets = 512 * 1024;

/** What the settings say of where clients bind. */
interface SmppConfig {
  readonly smppHost?: string;
  readonly smppPort: number | null;
  readonly smppTls?: SmppPorts['tls'];
}

/** Plain SMPP has passwords that anybody on the way can read: like HTTP it is for this machine unless the operator says otherwise. */
const hostDefault = '127.0.0.1';

export function openSmppListeners(config: SmppConfig, needs: SmppListenersNeeds): Promise<SmppListeners> {
  const { smppHost: host = hostDefault, smppPort: port, smppTls: tls = null } = config;
  return SmppListeners.open({ plain: port === null ? null : { host, port }, tls }, needs);
}

/** The ports that clients bind to, and all that is behind them. */
export class SmppListeners {
  readonly sessions: Sessions;
  readonly #servers: readonly Server[];
  readonly #watch: CertificateWatch | undefined;
  readonly #binds: LastBinds;
  readonly port: number | null;
  readonly tlsPort: number | null;

  private constructor(given: {
    readonly sessions: Sessions;
    readonly plain: Server | undefined;
    readonly tls: Server | undefined;
    readonly watch: CertificateWatch | undefined;
    readonly binds: LastBinds;
  }) {
    const { sessions, plain, tls, watch, binds } = given;
    this.#binds = binds;
    this.sessions = sessions;
    this.#servers = [plain, tls].filter((server) => server !== undefined);
    this.#watch = watch;
    this.port = plain?.port ?? null;
    this.tlsPort = tls?.port ?? null;
  }

  /** Opens the ports that are on. Rejects, and leaves none open, when one cannot be had or the certificate cannot be used. */
  static async open(ports: SmppPorts, needs: SmppListenersNeeds): Promise<SmppListeners> {
    await using opened = new AsyncDisposableStack();
    const binds = opened.use(new LastBinds(needs));
    const admissions = new Admissions({
      ...needs,
      failures: new BindFailures(),
      refusals: new RefusalLog(needs.log, needs.clock),
      bound: (systemId) => binds.note(systemId),
    });
    const openPort = async ({ host, port }: { host: string; port: number }, tls?: ServerTls) =>
      opened.use(
        await listen({
          host,
          port,
          ...(tls && { tls }),
          system_id: ourSystemId,
          connectionsMax: needs.connectionsMax,
          unboundMax,
          unboundOfAddressMax,
          outputHighOctets,
          outputMaxOctets,
          // Beyond twice its window a client is told so at once.
          peerBehindMs: 0,
          authenticate: (attempt) => admissions.decide(attempt, tls !== undefined),
          onError: (fault) => needs.log.error(describeBug(fault), 'a client could not be let in'),
        }),
      );
    const plain = ports.plain ? await openPort(ports.plain) : undefined;
    const certificate = ports.tls ? await readCertificate(ports.tls) : undefined;
    if (certificate?.ok === false) throw new CertificateRefused(`SMPP over TLS: ${certificate.error}`);
    const tls = ports.tls && certificate ? await openPort(ports.tls, certificate.value) : undefined;
    const watch = ports.tls && tls ? await watchCertificate(ports.tls, tls, needs) : undefined;
    const listeners = new SmppListeners({ sessions: needs.sessions, plain, tls, watch, binds });
    opened.move();
    return listeners;
  }

  /** Connections that are not bound. */
  get unbound(): number {
    return this.#servers.reduce((sum, server) => sum + server.unbound, 0);
  }

  /** Takes no more connections, unbinds each session after what is in flight, and ends within the limit. */
  async close(limitMs: number): Promise<void> {
    this.#watch?.[Symbol.dispose]();
    await Promise.all(this.#servers.map((server) => server.close(limitMs)));
    await this.#binds[Symbol.asyncDispose]();
  }
}

function watchCertificate(
  files: CertificateFiles,
  server: Server,
  needs: SmppListenersNeeds,
): Promise<CertificateWatch> {
  const { log, clock } = needs;
  const renew = (tls: ServerTls) => server.renewTls(tls);
  return CertificateWatch.start({ files, clock, log, renew });
}
