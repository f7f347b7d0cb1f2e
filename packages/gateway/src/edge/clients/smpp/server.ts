import { listen, type ServerTls } from '@morsel/smpp';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { BindFailures } from '../../../core/account/bind-failures.ts';
import { LastBinds } from '../../../flow/account/last-binds.ts';
import { describeBug } from '../../../runtime/bug.ts';
import { balancersWithin } from '../../balancers.ts';
import { RefusalLog } from '../../refusal-log.ts';
import { Admissions, type AdmissionNeeds } from './admission.ts';
import { certificateFor, CertificateWatch, type CertificatePort } from '../../certificates.ts';
import type { Tools } from '../../../flow/ports.ts';

/* Opens and closes the ports at which clients bind: the plain port and the port with TLS. */

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
  /** Null: the plain port is off. */
  readonly smppPort: number | null;
  readonly smppTls?: CertificatePort | null;
  readonly smppBalancers?: readonly AddressRange[];
}

/** Plain SMPP sends passwords in clear text, so by default only clients on this machine can connect. */
const hostDefault = '127.0.0.1';
const listener = 'SMPP over TLS';

export type SmppListeners = Awaited<ReturnType<typeof openSmppListeners>>;

/** Opens the ports. If a port is in use or the certificate cannot be used, rejects and leaves no port open. */
export async function openSmppListeners(
  { smppHost: host = hostDefault, smppPort: port, smppTls: tls, smppBalancers }: SmppConfig,
  needs: SmppListenersNeeds,
) {
  const { log, clock, connectionsMax } = needs;
  await using opened = new AsyncDisposableStack();
  const binds = opened.use(new LastBinds(needs));
  const refusals = new RefusalLog(log, clock);
  const balancers = balancersWithin(smppBalancers, refusals);
  const admissions = new Admissions({
    ...needs,
    failures: new BindFailures(),
    refusals,
    bound: (user) => binds.note(user),
  });
  const openPort = async (at: { readonly host: string; readonly port: number }, certificate?: ServerTls) =>
    opened.use(
      await listen({
        host: at.host,
        port: at.port,
        ...(certificate && { tls: certificate }),
        system_id: ourSystemId,
        connectionsMax,
        unboundMax,
        unboundOfAddressMax: Math.min(unboundOfAddressMax, Math.ceil(connectionsMax / 2)),
        balancers,
        outputHighOctets,
        outputMaxOctets,
        // If a client has more unanswered requests than twice its window, its next request is refused at once.
        peerBehindMs: 0,
        authenticate: (attempt) => admissions.decide(attempt, certificate !== undefined),
        onError: (fault) => log.error(describeBug(fault), 'client connection failed'),
      }),
    );
  const plain = port === null ? undefined : await openPort({ host, port });
  const secure = tls ? await openPort(tls, await certificateFor(listener, tls)) : undefined;
  const renew = (certificate: ServerTls) => secure?.renewTls(certificate);
  const watch = tls && (await CertificateWatch.start({ files: tls, clock, log, renew, listener }));
  opened.move();
  const servers = [plain, secure].filter((server) => server !== undefined);
  return {
    port: plain?.port ?? null,
    tlsPort: secure?.port ?? null,
    get unbound(): number {
      return servers.reduce((sum, server) => sum + server.unbound, 0);
    },
    /** Unbinds each session when its requests in flight are answered. Resolves within `limitMs`. */
    close: async (limitMs: number): Promise<void> => {
      watch?.[Symbol.dispose]();
      await Promise.all(servers.map((server) => server.close(limitMs)));
      await binds[Symbol.asyncDispose]();
    },
  };
}
