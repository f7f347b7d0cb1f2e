/**
 * The floor: a program that does the input and output of a gateway, and none of its work. No gateway on Node and SQLite
 * that keeps the promises can be faster, so its figures show what Morsel's own work costs:
 * `floor.ts FILE CARRIER_PORT`, which prints its HTTP port as JSON.
 *
 * It does: one HTTP answer a message after the commit of its row, `submit_sm` in a window, the outcome stored, the
 * receipt acknowledged after its commit. Pragmas, groups and checkpoints are those of the gateway.
 * It omits: every check, token, price, balance, limit, encryption, index, alphabet, retry, log, and all of HTTP but a
 * whole POST with a Content-Length. It keeps the carrier's ids in memory. A message has one row, as long as Morsel's
 * rows of a message together.
 */
import { connect, createServer, type Socket } from 'node:net';
import { isMainThread, parentPort, receiveMessageOnPort, Worker, workerData } from 'node:worker_threads';
import { openForWriting } from '../packages/gateway/src/store/sqlite/database.ts';

/** A command is an array: arrays of strings and numbers cross to the other thread at the least cost. */
type Command =
  | readonly ['accept', id: number, at: number, sender: string, receiver: string, text: string]
  | readonly ['outcome', id: number, at: number, carrierId: string]
  | readonly ['receipt', id: number, at: number];

/** Makes a message 500 octets of the file, as in Morsel. */
const restOctets = 380;
/** As in the gateway (writer.ts, journal.ts). */
const groupMax = 2_000;
const postEarly = 32;
const windowMax = 1_000;

/** The writing thread: applies each group in one transaction, while the main thread gathers the next one. */
function write(file: string): void {
  const port = parentPort;
  if (!port) throw new Error('this part runs as a worker thread');
  const database = openForWriting(file);
  database.exec(`create table message (id integer primary key, accepted_at integer not null, sender text not null,
    receiver text not null, text text not null, rest blob not null, state text not null, carrier_id text,
    answered_at integer, done_at integer) strict`);
  const statements = {
    accept: database.prepare(`insert into message (id, accepted_at, sender, receiver, text, rest, state)
      values (?, ?, ?, ?, ?, zeroblob(${restOctets}), 'claimed')`),
    outcome: database.prepare(`update message set state = 'sent', answered_at = ?2, carrier_id = ?3 where id = ?1`),
    receipt: database.prepare(`update message set state = 'delivered', done_at = ?2 where id = ?1`),
  };
  const [begin, commit, restart] = ['begin immediate', 'commit', 'pragma wal_checkpoint(restart)'].map((sql) =>
    database.prepare(sql),
  );
  port.on('message', (first: readonly Command[] | 'restart') => {
    const group: Command[] = [];
    for (let next: typeof first | undefined = first; next;) {
      if (next === 'restart') restart?.get();
      else group.push(...next);
      next = group.length < groupMax ? receiveMessageOnPort(port)?.message : undefined;
    }
    if (group.length === 0) return;
    begin?.run();
    for (const [kind, ...values] of group) statements[kind].run(...values);
    commit?.run();
    port.postMessage(group.length);
  });
}

/** Gives commands to the writing thread. A command is done after its commit. */
class Journal {
  readonly #worker: Worker;
  readonly #posted: (() => void)[] = [];
  #waiting: Command[] = [];

  constructor(file: string) {
    this.#worker = new Worker(import.meta.filename, { workerData: file });
    this.#worker.on('message', (count: number) => {
      for (const done of this.#posted.splice(0, count)) done();
    });
    const checkpoints = new URL('../packages/gateway/src/store/sqlite/checkpoint-thread.ts', import.meta.url);
    new Worker(checkpoints, { workerData: file }).on('message', () => this.#worker.postMessage('restart'));
  }

  append(command: Command, done: () => void): void {
    this.#posted.push(done);
    this.#waiting.push(command);
    if (this.#waiting.length === 1) setImmediate(() => this.#post());
    else if (this.#waiting.length >= postEarly) this.#post();
  }

  #post(): void {
    if (this.#waiting.length > 0) this.#worker.postMessage(this.#waiting);
    this.#waiting = [];
  }
}

interface Message {
  readonly id: number;
  readonly sender: string;
  readonly receiver: string;
  readonly text: string;
}

/** Commands of SMPP 3.4. */
const smpp = { bind: 0x09, submit: 0x04, submitAnswer: 0x80_00_00_04, deliver: 0x05, deliverAnswer: 0x80_00_00_05 };

/** The link to the carrier. It writes once in a turn of the event loop, and sends at most a window of messages. */
class Link {
  readonly #socket: Socket;
  readonly #journal: Journal;
  readonly #unanswered = new Map<number, number>();
  readonly #idOf = new Map<string, number>();
  readonly #waiting: Message[] = [];
  #out: string[] = [];
  #rest: Buffer = Buffer.alloc(0);
  #sequence = 1;

  constructor(port: number, journal: Journal) {
    this.#journal = journal;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#put(smpp.bind, this.#sequence++, 'morsel\0secret\0\0\x34\0\0\0');
  }

  send(message: Message): void {
    if (this.#unanswered.size >= windowMax) this.#waiting.push(message);
    else this.#submit(message);
  }

  #submit({ id, sender, receiver, text }: Message): void {
    const sequence = this.#sequence++;
    this.#unanswered.set(sequence, id);
    const addresses = `\x01\x01${sender.slice(1)}\0\x01\x01${receiver.slice(1)}\0`;
    // registered_delivery 1; all other fields are 0.
    this.#put(smpp.submit, sequence, `\0${addresses}\0\0\0\0\0\x01\0\0\0${String.fromCharCode(text.length)}${text}`);
  }

  #read(chunk: Buffer): void {
    const octets = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    for (let end; octets.length - at >= 16 && (end = at + octets.readUInt32BE(at)) <= octets.length; at = end)
      this.#take(octets.readUInt32BE(at + 4), octets.readUInt32BE(at + 12), octets.toString('latin1', at + 16, end));
    this.#rest = octets.subarray(at);
  }

  #take(command: number, sequence: number, body: string): void {
    if (command === smpp.submitAnswer) {
      const id = this.#unanswered.get(sequence) ?? 0;
      const carrierId = body.slice(0, -1);
      this.#unanswered.delete(sequence);
      this.#idOf.set(carrierId, id);
      this.#journal.append(['outcome', id, Date.now(), carrierId], () => undefined);
      const next = this.#waiting.shift();
      if (next) this.#submit(next);
    } else if (command === smpp.deliver) {
      const from = body.indexOf('id:') + 3;
      const carrierId = body.slice(from, body.indexOf(' ', from));
      const id = this.#idOf.get(carrierId) ?? 0;
      this.#idOf.delete(carrierId);
      this.#journal.append(['receipt', id, Date.now()], () => this.#put(smpp.deliverAnswer, sequence, '\0'));
    }
  }

  #put(command: number, sequence: number, body: string): void {
    const header = Buffer.alloc(16);
    header.writeUInt32BE(16 + body.length);
    header.writeUInt32BE(command, 4);
    header.writeUInt32BE(sequence, 12);
    if (this.#out.push(header.toString('latin1') + body) > 1) return;
    setImmediate(() => this.#socket.write(this.#out.splice(0).join(''), 'latin1'));
  }
}

/** Answers whole requests, with the headers and the fields of Morsel's answer. */
function serve(socket: Socket, accept: (message: Omit<Message, 'id'>, done: (id: number) => void) => void): void {
  let rest = '';
  socket.setNoDelay(true).on('error', () => undefined);
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1');
    const head = rest.indexOf('\r\n\r\n') + 4;
    if (head < 4) return;
    const length = Number(/content-length: (\d+)/i.exec(rest)?.[1]);
    if (rest.length < head + length) return;
    const fields = JSON.parse(rest.slice(head));
    rest = '';
    accept(fields, (id) => {
      const body = `{"msgId":"${String(id).padStart(26, '0')}","numParts":1,"totalCost":0.0075,"clientBalance":1000000,"clientCurrency":"EUR"}`;
      socket.write(`HTTP/1.1 200 OK\r\n${answerHeaders}Content-Length: ${body.length}\r\n\r\n${body}`, 'latin1');
    });
  });
}

const answerHeaders =
  `Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\nX-Request-Id: ${'0'.repeat(32)}\r\n` +
  `Date: ${new Date().toUTCString()}\r\nConnection: keep-alive\r\n`;

function start(file: string, carrierPort: number): void {
  const journal = new Journal(file);
  const link = new Link(carrierPort, journal);
  let last = 0;
  const server = createServer((socket) =>
    serve(socket, ({ sender, receiver, text }, done) => {
      const id = ++last;
      journal.append(['accept', id, Date.now(), sender, receiver, text], () => {
        done(id);
        link.send({ id, sender, receiver, text });
      });
    }),
  );
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 })}\n`);
  });
}

if (isMainThread) start(process.argv[2] ?? '', Number(process.argv[3]));
else write(String(workerData));
