import type { Gateway } from '@morsel/gateway/app.ts';
import type { Config } from '@morsel/gateway/config.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Failure, Input, Report, Shell } from '../command.ts';
import { refuseDemoDirectory } from './demo-directory.ts';
import { configOf, start, urlOf } from './start.ts';
import { serviceManager } from './service-manager.ts';
import { stopSignals } from './stop-signals.ts';

/** Runs the gateway until a signal. */
export async function serve({ flags }: Input, shell: Shell): Promise<Result<undefined, Failure>> {
  const isHeld = flags.has('hold');
  const config = configOf(shell);
  if (!config.ok) return config;
  const isOfDemo = refuseDemoDirectory(config.value.dataDir);
  if (isOfDemo !== undefined) return refused({ kind: 'refused', detail: isOfDemo });
  const stopped = stopSignals();
  const gateway = await start(config.value, { isHeld, isLossAccepted: flags.has('acceptLoss') });
  if (!gateway.ok) return gateway;
  await using manager = serviceManager(shell.environment, shell.warn);
  shell.report(await readyReport(config.value, gateway.value, isHeld));
  await manager.ready();
  await stopped;
  void manager.stopping();
  await gateway.value.stop();
  return ok(undefined);
}

/** The text about the SMPP ports; empty if SMPP is off. */
export function smppText(config: Config, { smppPort, smppTlsPort }: Gateway): string {
  const plain = smppPort === null ? [] : [`over SMPP at ${hostAndPort(config.smppHost ?? '127.0.0.1', smppPort)}`];
  const tls =
    smppTlsPort === null ? [] : [`over SMPP with TLS at ${hostAndPort(config.smppTls?.host ?? '', smppTlsPort)}`];
  return [...plain, ...tls].map((each) => `, ${each}`).join('');
}

/** The URLs of a listener: of its plain port, and of its port with TLS if that is open. */
function urlsOf(plain: string, tls: Config['httpTls'], tlsPort: number | null): string {
  return tls && tlsPort !== null ? `${plain} and https://${hostAndPort(tls.host, tlsPort)}` : plain;
}

/** The text about the console, with a link while no owner can sign in. The link works once. */
export function consoleText(url: string): string {
  return url.includes('#')
    ? `console: open this link once, to become the first owner who can sign in:\n\n  ${url}\n`
    : `console at ${url}`;
}

async function readyReport(config: Config, gateway: Gateway, isHeld: boolean): Promise<Report> {
  const { httpHost, adminHost, dataDir } = config;
  const { httpPort, httpTlsPort, adminPort, adminTlsPort, smppPort, smppTlsPort } = gateway;
  const consoleUrl = await gateway.consoleUrl();
  const clients = urlsOf(urlOf(httpHost, httpPort), config.httpTls, httpTlsPort);
  const operators = urlsOf(urlOf(adminHost, adminPort), config.adminTls, adminTlsPort);
  return {
    json: JSON.stringify({
      ready: !isHeld,
      ...(isHeld && { held: true }),
      httpHost,
      httpPort,
      httpTlsPort,
      adminHost,
      adminPort,
      adminTlsPort,
      smppPort,
      smppTlsPort,
      consoleUrl,
      dataDir,
      pid: process.pid,
    }),
    text: `morsel is ${isHeld ? 'held until morsel resume' : 'ready'}: clients at ${clients}, operator at ${operators}, data in ${dataDir}${smppText(config, gateway)}
${consoleText(consoleUrl)}`,
  };
}
