import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ok, refused } from '@morsel/api/values/result.ts';
import { hourMs } from '@morsel/api/values/time.ts';
import { Chance } from '../chance.ts';
import { accepted, startTestSite, type TestSite } from './http-site.ts';
import { oddPieces } from './odd-requests.ts';
import { request } from './raw-http.ts';

/* Gives the same octets to a site with the lane and to a site without it, and compares answers and messages. */

/** The connections at a time. */
const atOnce = 32;

/** On a busy machine no request is refused because it takes long. */
const waits = { headersMs: hourMs, requestMs: hourMs };

export class BothWays implements AsyncDisposable {
  readonly #sites: readonly TestSite[];

  private constructor(sites: readonly TestSite[]) {
    this.#sites = sites;
  }

  static async start(): Promise<BothWays> {
    const sites = await Promise.all([true, false].map((hasLane) => startTestSite(waits, null, { hasLane })));
    for (const site of sites) site.submit = submit;
    return new BothWays(sites);
  }

  /** Throws if the ways differ for an input from `from` to below `to`. `fuzz-http --from N --inputs 1` repeats one input. */
  async compare({
    seed,
    from,
    to,
  }: {
    readonly seed: number;
    readonly from: number;
    readonly to: number;
  }): Promise<void> {
    for (let first = from; first < to; first += atOnce) {
      const inputs = Array.from({ length: Math.min(atOnce, to - first) }, (_, index) => first + index);
      const results = await Promise.all(
        this.#sites.map(async ({ port, calls }) => {
          calls.length = 0;
          const answers = await Promise.all(inputs.map((input) => answersTo(port, oddPieces(chanceOf(seed, input)))));
          return { answers, calls: calls.map((call) => JSON.stringify(call)).toSorted() };
        }),
      );
      const [lane, node] = results;
      for (const [index, input] of inputs.entries()) {
        const pieces = () => oddPieces(chanceOf(seed, input)).map((piece) => JSON.stringify(piece.toString('latin1')));
        assert.equal(
          lane?.answers[index],
          node?.answers[index],
          `--seed ${seed} --from ${input}: ${pieces().join('\n')}`,
        );
      }
      assert.deepEqual(
        lane?.calls,
        node?.calls,
        `the messages of --seed ${seed} --from ${first} --inputs ${inputs.length}`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#sites.map((site) => site.close()));
  }
}

function chanceOf(seed: number, input: number): Chance {
  return new Chance(Math.imul(seed, 0x9e3779b1) ^ Math.imul(input + 1, 0x85ebca6b));
}

/** Answers some messages at once and some later, and refuses some. */
async function submit({ text }: { readonly text: string }): ReturnType<NonNullable<TestSite['submit']>> {
  const number = Number(/\d+/.exec(text)?.[0] ?? 0);
  for (let turn = 0; turn < number % 5; turn++) await new Promise(setImmediate);
  if (number === 7) throw new Error('a bug');
  return number % 4 === 0 ? refused({ code: 'text_too_long', numParts: 11, maxParts: 10 }) : ok(accepted);
}

/**
 * All octets that the server sends until it ends the connection, without ids and times. The connection has had a
 * request before, because the first one never goes to the lane.
 */
async function answersTo(port: number, pieces: readonly Buffer[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  socket.on('error', () => undefined);
  socket.write(request('GET /health'));
  await once(socket, 'data');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => void socket.on('end', resolve).on('close', resolve));
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  }
  socket.end();
  await ended;
  socket.destroy();
  return Buffer.concat(chunks)
    .toString('latin1')
    .replaceAll(/\r\nDate: [^\r]+/g, '')
    .replaceAll(/problem\+json\r\n([^]*?)X-Request-Id: (\S+)\r\nContent-Length: (\d+)/g, (_, middle, id, length) => {
      return `problem+json\r\n${middle}Content-Length: ${length - id.length}`;
    })
    .replaceAll(/[0-9a-f]{12}-[0-9a-z]+/g, 'ID');
}
