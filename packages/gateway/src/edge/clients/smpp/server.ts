import { listen, type Server, type ServerTls } from '@morsel/smpp';
import { BindFailures } from '../../../core/account/bind-failures.ts';
import { LastBinds } from '../../../flow/account/last-binds.ts';
import { describeBug } from '../../../runtime/bug.ts';
import { RefusalLog } from '../../refusal-log.ts';
import { Admissions, type AdmissionNeeds } from './admission.ts';
import { CertificateRefused, CertificateWatch, readCertificate, type CertificateFiles } from '../../certificates.ts';
import type { Sessions } from './sessions.ts';
import type { Tools } from '../../../flow/ports.ts';

/* Opens and closes the ports at which clients bind: the plain port and the port with TLS. */

export interface SmppPorts {
  readonly plain: { readonly host: string; readonly port: number } | null;
  readonly tls: (CertificateFiles & { readonly host: string; readonly port: number }) | null;
}

interface SmppListenersNeeds
  extends Omit<AdmissionNeeds, 'failures' | 'bound' | 'refusals'>, Pick<Tools, 'log' | 'journal'> {
  /** The most connections, whether bound or not. */
  readonly connectionsMax: number;
}

/** The gateway's system_id in bind_resp. */
const ourSystemId = 'morsel';

/**
 * The most unbound connections in total, and from one IP address; all connections of an address are at most half of a
 * port's. After an outage, a client with many sessions binds them all at once.
 */
const unboundMax = 1_000;
const unboundOfAddressMax = 200;
/**
 * The octets that a client may leave unread: the answers to its window, and two long messages. Above this limit the
 * gateway sends nothing new; above the second limit it closes the connection.
 */
const outputHighOctets = 128 * 1024;
const outputMaxOctets = 512 * 1024;

interface SmppConfig {
  readonly smppHost?: string;
  readonly smppPort: number | null;
  readonly smppTls?: SmppPorts['tls'];
}

/** Plain SMPP sends passwords in clear text, so by default only clients on this machine can connect. */
const hostDefault = '127.0.0.1';

export function openSmppListeners(config: SmppConfig, needs: SmppListenersNeeds): Promise<SmppListeners> {
  const { smppHost: host = hostDefault, smppPort: port, smppTls: tls = null } = config;
  return SmppListeners.open({ plain: port === null ? null : { host, port }, tls }, needs);
}

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

  /** Opens the ports. If a port is in use or the certificate cannot be used, rejects and leaves no port open. */
  static async open(ports: SmppPorts, needs: SmppListenersNeeds): Promise<SmppListeners> {
    await using opened = new AsyncDisposableStack();
    const binds = opened.use(new LastBinds(needs));
    const admissions = new Admissions({
      ...needs,
      failures: new BindFailures(),
      refusals: new RefusalLog(needs.log, needs.clock),
      bound: (user) => binds.note(user),
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
          unboundOfAddressMax: Math.min(unboundOfAddressMax, Math.ceil(needs.connectionsMax / 2)),
          outputHighOctets,
          outputMaxOctets,
          // If a client has more unanswered requests than twice its window, its next request is refused at once.
          peerBehindMs: 0,
          authenticate: (attempt) => admissions.decide(attempt, tls !== undefined),
          onError: (fault) => needs.log.error(describeBug(fault), 'client connection failed'),
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

  get unbound(): number {
    return this.#servers.reduce((sum, server) => sum + server.unbound, 0);
  }

  /** Unbinds each session when its requests in flight are answered. Resolves within `limitMs`. */
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
  return CertificateWatch.start({ files, clock, log, renew, listener: 'SMPP over TLS' });
}
