/* Reads the mail server of a receiver of alarms. */

import { webHostOf } from '../notification/webhook-url.ts';

const defaultPorts = { 'smtp:': 25, 'smtps:': 465 } as const;

/** Reads a mail server such as smtp://mail.example.com:587. Undefined if the text is no mail server. */
export function mailServerOf(
  text: string,
): { readonly host: string; readonly port: number; readonly secure: boolean } | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') return undefined;
  const isBare = url.username === '' && url.password === '' && /^\/?$/.test(url.pathname);
  const host = webHostOf(url);
  if (!isBare || host === undefined) return undefined;
  const port = url.port === '' ? defaultPorts[url.protocol] : Number(url.port);
  return { host, port, secure: url.protocol === 'smtps:' };
}
