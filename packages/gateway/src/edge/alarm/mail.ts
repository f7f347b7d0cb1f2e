/* Sends the mail of an alarm over SMTP. */

import { isIP } from 'node:net';
import { faultCode } from '../../core/base/fault-code.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { createTransport } from 'nodemailer';
import type { AlarmReceiver, NoticeResult } from '../../core/alarm/notice.ts';
import { mailServerOf } from '../../core/alarm/mail-server.ts';
import { reasonOfHost } from '../../core/notification/webhook-url.ts';
import type { Lookup } from '../webhook/lookup.ts';
import { safeAddresses } from '../webhook/safe-lookup.ts';

interface Mail {
  readonly subject: string;
  readonly text: string;
  /** The id of the mail, the same for each try. */
  readonly id: string;
}

export async function sendMail(
  { to, server, user, sender, secret, allow }: AlarmReceiver,
  { subject, text, id }: Mail,
  { limitMs, lookup }: { readonly limitMs: number; readonly lookup: Lookup },
): Promise<NoticeResult> {
  const place = mailServerOf(server ?? '');
  if (!place || sender === null) return { isTaken: false, detail: 'the receiver has no mail server or no sender' };
  const limits = { connectionTimeout: limitMs, greetingTimeout: limitMs, socketTimeout: limitMs, dnsTimeout: limitMs };
  const auth = user === null ? {} : { auth: { user, pass: secret ?? '' } };
  // A password is sent only over TLS, to a server with a valid certificate. Without a password, TLS is used if the
  // server offers it. Its certificate may be self-signed, as is usual between mail servers (RFC 7435).
  const isOpportunistic = user === null && !place.secure;
  const safe = {
    requireTLS: user !== null && !place.secure,
    tls: { rejectUnauthorized: !isOpportunistic, ...(isIP(place.host) === 0 && { servername: place.host }) },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const host = await addressOf(place.host, lookup, allow);
  if (!host.ok) return { isTaken: false, detail: `the mail server cannot be called: ${host.error}` };
  const transport = createTransport({ ...place, host: host.value, ...limits, ...auth, ...safe });
  try {
    const domain = sender.split('@').at(-1) ?? 'morsel';
    await transport.sendMail({ from: sender, to, subject, text, messageId: `<${id}@${domain}>` });
    return { isTaken: true, detail: 'the mail server took the mail' };
  } catch (fault) {
    const code = fault instanceof Error && 'responseCode' in fault ? ` (${String(fault.responseCode)})` : '';
    const reason = faultCode(fault);
    return { isTaken: false, detail: `the mail server did not take the mail: ${reason}${code}` };
  } finally {
    transport.close();
  }
}

/** The checked address of a mail server. The mail goes to exactly this address, so the name cannot change after it. */
async function addressOf(
  host: string,
  lookup: Lookup,
  allowed: readonly AddressRange[],
): Promise<Result<string, string>> {
  const reason = reasonOfHost(host, allowed);
  if (reason !== undefined) return refused(reason);
  if (isIP(host) !== 0) return ok(host);
  try {
    const [first] = await safeAddresses(host, lookup, allowed);
    return first === undefined ? refused('its name has no address') : ok(first);
  } catch (fault) {
    return refused(fault instanceof Error ? fault.message : 'its name cannot be looked up');
  }
}
