/* Sends the mail of an alarm over SMTP. */

import { createTransport } from 'nodemailer';
import type { AlarmReceiver, Told } from '../../core/alarm/notice.ts';

interface Mail {
  readonly subject: string;
  readonly text: string;
  /** The same for each try. */
  readonly id: string;
}

const defaultPorts = { 'smtp:': 25, 'smtps:': 465 } as const;

/** A server such as smtp://mail.example.com:587. Undefined if it is none. */
export function mailServerOf(
  text: string,
): { readonly host: string; readonly port: number; readonly secure: boolean } | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') return undefined;
  const isBare = url.username === '' && url.password === '' && /^\/?$/.test(url.pathname) && url.hostname !== '';
  if (!isBare) return undefined;
  const port = url.port === '' ? defaultPorts[url.protocol] : Number(url.port);
  return { host: url.hostname, port, secure: url.protocol === 'smtps:' };
}

export async function sendMail(
  { to, server, user, sender, secret }: AlarmReceiver,
  { subject, text, id }: Mail,
  limitMs: number,
): Promise<Told> {
  const place = mailServerOf(server ?? '');
  if (!place || sender === null) return { isTold: false, detail: 'the receiver has no mail server or no sender' };
  const limits = { connectionTimeout: limitMs, greetingTimeout: limitMs, socketTimeout: limitMs, dnsTimeout: limitMs };
  const auth = user === null ? {} : { auth: { user, pass: secret ?? '' } };
  // A password goes only over TLS, to a server with a valid certificate. Without a password, TLS is used if the server has it, and
  // its certificate may be of its own making, as is usual between mail servers (RFC 7435).
  const isOpportunistic = user === null && !place.secure;
  const safe = {
    requireTLS: user !== null && !place.secure,
    tls: { rejectUnauthorized: !isOpportunistic },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const transport = createTransport({ ...place, ...limits, ...auth, ...safe });
  try {
    const domain = sender.split('@').at(-1) ?? 'morsel';
    await transport.sendMail({ from: sender, to, subject, text, messageId: `<${id}@${domain}>` });
    return { isTold: true, detail: 'the mail server took the mail' };
  } catch (fault) {
    const code = fault instanceof Error && 'responseCode' in fault ? ` (${String(fault.responseCode)})` : '';
    const reason = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
    return { isTold: false, detail: `the mail server did not take the mail: ${reason}${code}` };
  } finally {
    transport.close();
  }
}
