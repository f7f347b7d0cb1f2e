import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Gateway } from '../../../src/app.ts';
import { Child, type ChildOptions } from './child.ts';
import { startOn, type GatewayOptions } from './gateway.ts';
import { toJson, type Json } from '../json.ts';
import { runMorsel, type MorselOptions } from './run-morsel.ts';
import { waitUntil } from '../wait-until.ts';

/* Runs commands in tests, on a data directory for the test file. No process that is started here outlives the tests. */

export const folder = mkdtempSync(join(tmpdir(), 'morsel-cli-'));
export const dataDir = join(folder, 'data');

const children: Child[] = [];
after(() => {
  for (const child of children) child.signal('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Starts a new gateway in this process, on the data directory that commands use. After it has stopped, another
 * gateway may start.
 */
export function served(options: GatewayOptions = {}): Promise<Gateway> {
  rmSync(dataDir, { recursive: true, force: true });
  return startOn(dataDir, options);
}

/** Starts a command as a process of its own. */
export function start(words: readonly string[], options: ChildOptions = {}): Child {
  const child = new Child(words, { ...options, environment: { MORSEL_DATA_DIR: dataDir, ...options.environment } });
  children.push(child);
  return child;
}

/** Starts a command that runs until it is stopped, and waits until it is ready. */
export function running(words: readonly string[], options: ChildOptions = {}): Promise<Child> {
  return start([...words, '--json'], options).untilReady();
}

/** The words of a command: a text that spaces divide, or a list if a word has spaces or is empty. */
export type Words = string | readonly string[];

export function wordsIn(words: Words): readonly string[] {
  return typeof words === 'string' ? words.split(' ') : words;
}

/** Runs a command in this process. */
export function morsel(words: Words, options: Partial<MorselOptions> = {}) {
  // The caller may pass a `Tour` as options: a getter of its class returns the data directory, and `...` copies none.
  return runMorsel(wordsIn(words), { ...options, dataDir: options.dataDir ?? dataDir });
}

/** Runs a command that must succeed without a warning. Returns its output. */
export async function command(at: Pick<MorselOptions, 'dataDir'>, ...words: readonly string[]): Promise<string> {
  const { status, out, errors } = await morsel(words, { dataDir: at.dataDir });
  assert.deepEqual([status, errors], [0, ''], words.join(' '));
  return out;
}

/** Runs a command with `--json`, whose output must be one line. Returns the value in it. */
export async function answer(words: Words, options: Partial<MorselOptions> = {}): Promise<unknown> {
  const { status, out, errors } = await morsel([...wordsIn(words), '--json'], options);
  assert.deepEqual([status, errors], [0, ''], `${wordsIn(words).join(' ')}: ${errors}`);
  assert.match(out, /^[^\n]+\n$/);
  return JSON.parse(out);
}

/** Runs a command and returns its answer as a JSON object. */
export async function answered(words: Words, options: Partial<MorselOptions> = {}): Promise<Json> {
  return toJson(await answer(words, options));
}

/** Waits until every link of a carrier is bound. */
export async function bound(name: string, options: Partial<MorselOptions> = {}): Promise<void> {
  await waitUntil(`the links of ${name} are bound`, async () => {
    const { linkStates } = await answered(['carrier', 'show', name], options);
    return Array.isArray(linkStates) && linkStates.every((link: unknown) => toJson(link)['state'] === 'bound');
  });
}
