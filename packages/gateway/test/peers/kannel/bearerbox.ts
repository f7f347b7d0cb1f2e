import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { login } from '../client-account.ts';
import { PeerProcess } from '../peer-process.ts';
import { freePort } from '../set-up.ts';
import type { WebhookEar } from '../../support/clients/webhook-ear.ts';
import { waitUntil } from '../../support/wait-until.ts';

/*
 * Kannel as our client: its bearerbox binds to the gateway; its smsbox takes messages by HTTP, splits long ones, and
 * calls a website with inbound messages and receipts.
 */

const sendsms = { username: 'site', password: 'site' } as const;

export interface BearerboxOptions {
  readonly folder: string;
  /** The gateway's port. */
  readonly port: number;
  readonly site: WebhookEar;
  /** One transceiver, or a transmitter and a receiver. */
  readonly isPair?: boolean;
  /** interface_version as Kannel writes it. */
  readonly version?: '33' | '34';
  /** Kannel's msg-id-type: 0 if message ids are decimal numbers; undefined if they are text. */
  readonly idType?: number;
}

interface Message {
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly coding?: 0 | 2;
  /** The name of the message, which the requests with its receipts contain. */
  readonly name: string;
}

/** The fields of a request of smsbox. Their values are octets, because they may not be valid UTF-8. */
export type Visit = ReadonlyMap<string, Buffer>;

/** The requests of smsbox to a path. */
export function visitsOf(site: WebhookEar, path: string): readonly Visit[] {
  return site.told
    .filter((told) => told.path === path)
    .map(({ query }) => new Map(query.split('&').map((field) => [field.split('=')[0] ?? '', octetsIn(field)])));
}

function characterOf(_escaped: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** The value of a field of application/x-www-form-urlencoded. */
function octetsIn(field: string): Buffer {
  const value = field.slice(field.indexOf('=') + 1).replaceAll('+', ' ');
  return Buffer.from(value.replaceAll(/%([0-9a-f]{2})/gi, characterOf), 'latin1');
}

/** Whether a program has printed these words, or has ended. */
const says = (process: PeerProcess, words: string) =>
  process.isOver || process.lines.some((line) => line.includes(words));

export class Bearerbox implements AsyncDisposable {
  readonly #bearerbox: PeerProcess;
  readonly #smsbox: PeerProcess;
  readonly #sendsmsPort: number;
  readonly #site: WebhookEar;

  private constructor(
    site: WebhookEar,
    processes: { readonly bearerbox: PeerProcess; readonly smsbox: PeerProcess; readonly sendsmsPort: number },
  ) {
    this.#site = site;
    this.#bearerbox = processes.bearerbox;
    this.#smsbox = processes.smsbox;
    this.#sendsmsPort = processes.sendsmsPort;
  }

  static async start(options: BearerboxOptions): Promise<Bearerbox> {
    // Kannel would send a text in the website's answer as a message.
    options.site.text = '';
    const [adminPort, smsboxPort, sendsmsPort] = [await freePort(), await freePort(), await freePort()];
    const file = join(options.folder, 'kannel.conf');
    writeFileSync(file, configuration(options, { adminPort, smsboxPort, sendsmsPort }), { mode: 0o600 });
    const bearerbox = new PeerProcess(['/usr/sbin/bearerbox', '-v', '0', file], 'stderr');
    await waitUntil('bearerbox runs', () => says(bearerbox, 'MAIN: Start-up done'));
    if (bearerbox.isOver) throw new Error(`bearerbox did not start: ${bearerbox.lines.join('\n')}`);
    const smsbox = new PeerProcess(['/usr/sbin/smsbox', '-v', '0', file], 'stderr');
    const box = new Bearerbox(options.site, { bearerbox, smsbox, sendsmsPort });
    await waitUntil('smsbox runs', () => says(smsbox, 'Connected to bearerbox'));
    return box;
  }

  /** The lines that bearerbox and smsbox have printed. */
  get lines(): readonly string[] {
    return [...this.#bearerbox.lines, ...this.#smsbox.lines];
  }

  /** The lines with errors of Kannel. */
  get complaints(): string[] {
    return this.lines.filter((line) => /\] (ERROR|PANIC): /.test(line));
  }

  /** Gives Kannel a message. Returns whether Kannel accepted it, and so must send it, now or later. */
  async send({ to, from, text, coding = 0, name }: Message): Promise<boolean> {
    const receipt = `${this.#site.origin}/receipt?name=${encodeURIComponent(name)}&type=%d&id=%F&text=%A`;
    const query = new URLSearchParams({
      ...sendsms,
      to: `+${to}`,
      from: `+${from}`,
      text,
      coding: String(coding),
      charset: 'UTF-8',
      'dlr-mask': '31',
      'dlr-url': receipt,
    });
    const response = await fetch(`http://127.0.0.1:${this.#sendsmsPort}/cgi-bin/sendsms?${query.toString()}`);
    await response.text();
    return response.status === 202;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#smsbox[Symbol.asyncDispose]();
    await this.#bearerbox[Symbol.asyncDispose]();
  }
}

interface Ports {
  readonly adminPort: number;
  readonly smsboxPort: number;
  readonly sendsmsPort: number;
}

function configuration({ port, site, isPair = false, version = '34', idType }: BearerboxOptions, ports: Ports): string {
  // Each configuration group has one connection. The common smsc-id tells Kannel that receipts come over the other one.
  const binds = isPair
    ? [
        { port, 'transceiver-mode': false },
        { 'receive-port': port, 'transceiver-mode': false },
      ]
    : [{ port, 'transceiver-mode': true }];
  return groups([
    {
      group: 'core',
      'admin-port': ports.adminPort,
      'admin-interface': '127.0.0.1',
      'admin-password': 'admin',
      'smsbox-port': ports.smsboxPort,
      'smsbox-interface': '127.0.0.1',
      'box-allow-ip': '127.0.0.1',
      'dlr-storage': 'internal',
      'sms-resend-freq': 1,
    },
    ...binds.map((bind) => ({
      group: 'smsc',
      smsc: 'smpp',
      'smsc-id': 'gateway',
      host: '127.0.0.1',
      ...bind,
      'interface-version': version,
      'smsc-username': login.systemId,
      'smsc-password': login.password,
      'system-type': '""',
      'reconnect-delay': 1,
      'enquire-link-interval': 2,
      'max-pending-submits': 10,
      'source-addr-autodetect': true,
      ...(idType === undefined ? {} : { 'msg-id-type': idType }),
    })),
    {
      group: 'smsbox',
      'bearerbox-host': '127.0.0.1',
      'sendsms-port': ports.sendsmsPort,
      'sendsms-interface': '127.0.0.1',
      'http-request-retry': 100,
      'http-queue-delay': 1,
    },
    { group: 'sendsms-user', ...sendsms, concatenation: true, 'max-messages': 10 },
    {
      group: 'sms-service',
      keyword: 'default',
      'catch-all': true,
      'max-messages': 0,
      'get-url': `"${site.origin}/inbound?from=%p&to=%P&coding=%c&charset=%C&text=%b"`,
    },
  ]);
}

function groups(all: readonly Readonly<Record<string, string | number | boolean>>[]): string {
  const lines = all.map((group) => Object.entries(group).map(([name, value]) => `${name} = ${value}`));
  return lines.map((group) => `${group.join('\n')}\n`).join('\n');
}
