/*
 * A bad night: a carrier dies, another one refuses, a webhook fails, the disk fills, a balance runs low. Each alarm
 * comes once to a website and once by mail, with a command. The test runs this command, and the alarm closes.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { statuses } from '@morsel/smpp';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { Shown } from '../../support/json.ts';
import { receiptFor, ScriptedCarrier, type Held } from '../../support/carriers/scripted-carrier.ts';
import { WebhookEar } from '../../support/clients/webhook-ear.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { mountSmallDisk } from '../needs.ts';
import { alarmTitle } from '@morsel/api/admin/alarm/kinds.ts';
import { listenAnywhere, portOf } from '../../support/listen.ts';

const mebibyte = 2 ** 20;
const limitMs = 60_000;

/** A notification of an alarm: its words, such as `opened Carrier alpha is down`, and the command that helps. */
interface Heard {
  readonly words: string;
  readonly help: string;
}

/** The title of an alarm, from its kind and subject. */
function titleOf(about: string): string {
  const [kind = '', subject = ''] = about.split(' ');
  return alarmTitle(kind, subject);
}

it('each alarm of a bad night arrives once with a command that helps, and closes', { timeout: 300_000 }, async (t) => {
  using disk = mountSmallDisk('300m');
  if (!disk) {
    t.skip('needs the right to mount a tmpfs: run as root');
    return;
  }
  const dataDir = join(disk.path, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  await using client = await WebhookEar.open();
  client.status = 500;
  await using operators = await WebhookEar.open();
  await using mails = await Mails.open();
  let alpha = await ScriptedCarrier.open({ onSubmit: (held) => void deliver(held) });
  const { port } = alpha;
  await using beta = await ScriptedCarrier.open({ onSubmit: ({ respond }) => respond(statuses.ESME_RSUBMITFAIL) });
  const environment = { MORSEL_HTTP_PORT: '0' };
  await using gateway = await GatewayProcess.start({
    dataDir,
    environment,
    file: join(import.meta.dirname, 'night-program.ts'),
  });
  const run = (words: string) => gateway.morsel(...words.split(' '));
  const link = '--host 127.0.0.1 --system-id us --password secret';
  await run(`carrier add alpha ${link} --port ${port}`);
  await run(`carrier add beta ${link} --port ${beta.port}`);
  await run('route add --prefix 41 --carrier alpha');
  await run('route add --prefix 49 --carrier beta');
  await run('route add --prefix 49 --carrier alpha --rank 2');
  await run('price set --list default --currency EUR --prefix 4 --price 0.01');
  await run('account add acme --currency EUR --balance 60 --low-balance 50');
  const token = (await run('token add acme')).text('token');
  await run(`webhook add acme ${client.url} --on receipt --allow 127.0.0.0/8`);
  // The default time until this alarm opens would be too long for a test.
  await run('alarm set carrier-down --for-seconds 1');
  await run('alarm set webhook-late --threshold 1');
  await run('alarm set disk-low --threshold 100 --for-seconds 1');
  const secret = (await run(`alarm receiver add hook --kind webhook --to ${operators.url} --allow 127.0.0.0/8`)).text(
    'secret',
  );
  const mail = `--server smtp://127.0.0.1:${mails.port} --to night@example.com --sender morsel@example.com --allow 127.0.0.0/8`;
  await run(`alarm receiver add mail --kind email ${mail}`);
  await run('alarm receiver test hook');
  await run('alarm receiver test mail');
  operators.told.length = 0;
  mails.heard.length = 0;
  const website = {
    /** The notifications that the website got; throws if a signature is wrong. */
    get heard(): readonly Heard[] {
      return operators.told.map(({ body, headers }) => {
        new Webhook(secret).verify(body, headers);
        const alarm = new Shown(JSON.parse(body));
        const title = alarmTitle(alarm.text('kind'), alarm.text('subject'));
        return { words: `${alarm.text('turn')} ${title}`, help: alarm.text('help') };
      });
    },
    words: () => website.heard.map(({ words }) => words).join(', '),
  };

  const send = async (receiver: string) => {
    const body = JSON.stringify({ auth: token, sender: 'Shop', receiver, text: 'Hello', dcs: 'GSM' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(gateway.url('/sms/send'), { method: 'POST', body, headers });
    assert.equal(answer.status, 200, await answer.text());
  };
  /** Waits until an alarm has reached website and mailbox. Returns the command in it. */
  const helpFor = async (about: string): Promise<string> => {
    const of = (all: readonly Heard[]) => all.find(({ words }) => words === `opened ${titleOf(about)}`);
    await waitUntil(
      () => `${about} opens: ${website.words()}`,
      () => of(website.heard) && of(mails.heard),
      limitMs,
    );
    const help = of(website.heard)?.help ?? '';
    assert.equal(of(mails.heard)?.help, help);
    t.diagnostic(`${about}: ${help}`);
    return help;
  };
  const mend = async (about: string) => run((await helpFor(about)).replace(/^morsel /, ''));
  const closes = (about: string) =>
    waitUntil(
      () => `${about} closes: ${website.words()}`,
      () => [website, mails].every(({ heard }) => heard.some(({ words }) => words === `closed ${titleOf(about)}`)),
      limitMs,
    );
  const bound = () => waitUntil('alpha is bound', () => alpha.links === 1, limitMs);
  await bound();

  // A carrier dies. It comes back, and the operator does not wait for the next attempt to bind.
  await alpha.close();
  await helpFor('carrier-down alpha');
  alpha = await ScriptedCarrier.open({ port, onSubmit: (held) => void deliver(held) });
  await mend('carrier-down alpha');
  await run('carrier rebind alpha');
  await bound();
  await closes('carrier-down alpha');

  // Another carrier refuses messages. The operator pauses it, and its messages go to the next carrier of the route.
  await Promise.all(Array.from({ length: 25 }, (_each, at) => send(`+4915${String(at).padStart(8, '0')}`)));
  await mend('carrier-refuses beta');
  await closes('carrier-refuses beta');

  // The client's website fails. When it works again, the operator has the waiting notifications sent.
  await helpFor(`webhook-late ${new URL(client.url).host}`);
  client.status = 200;
  await mend(`webhook-late ${new URL(client.url).host}`);
  await closes(`webhook-late ${new URL(client.url).host}`);

  // A balance runs low.
  await run('account adjust acme --amount -20 --reason refund');
  await mend('low-balance acme');
  await closes('low-balance acme');

  // The disk fills. The command names the file.
  const rest = join(dataDir, 'forgotten.dump');
  writeFileSync(rest, Buffer.alloc(220 * mebibyte));
  const look = await helpFor('disk-low gateway');
  const listed = execFileSync('sh', ['-c', look], { encoding: 'utf8' }).split('\n');
  const [biggest = ''] = listed
    .map((line) => line.split('\t')[1] ?? '')
    .filter((path) => path !== '' && statSync(path).isFile());
  assert.equal(biggest, rest);
  rmSync(biggest);
  await closes('disk-low gateway');

  // Each alarm came once, and closed once.
  for (const { heard } of [website, mails]) {
    const all = heard.map(({ words }) => words);
    assert.deepEqual(all.toSorted(), [...new Set(all)].toSorted());
    assert.equal(all.length, 10, all.join(', '));
  }
  const alarms = new Shown(JSON.parse((await gateway.administer('GET', '/v1/alarms')).text)).at('items');
  assert.deepEqual(alarms, [], 'all is well in the morning');
  await alpha.close();
});

async function deliver({ pdu, session, respond }: Held): Promise<void> {
  respond(0, { message_id: `id-${pdu.sequence_number}` });
  await session.request(receiptFor(pdu, `id-${pdu.sequence_number}`));
}

/** A mail server that takes every mail. */
class Mails implements AsyncDisposable {
  readonly heard: Heard[] = [];
  readonly #server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      let mail = '';
      stream.on('data', (chunk: Buffer) => (mail += chunk.toString()));
      stream.on('end', () => {
        this.#hear(mail.replaceAll('=\r\n', '').replaceAll('\r\n', '\n'));
        done();
      });
    },
  });

  static async open(): Promise<Mails> {
    const mails = new Mails();
    await listenAnywhere(mails.#server.server);
    return mails;
  }

  get port(): number {
    return portOf(this.#server.server);
  }

  #hear(mail: string): void {
    const [, state = '', about = ''] = /^Subject: Morsel: (\w+): (.*)$/m.exec(mail) ?? [];
    const [, help = ''] = /What helps:\n {2}(.*)/.exec(mail) ?? [];
    this.heard.push({ words: `${state === 'over' ? 'closed' : 'opened'} ${about}`, help });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
