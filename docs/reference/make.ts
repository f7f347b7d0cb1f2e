import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientApiPage } from './pages/client-api.ts';
import { alarmsPage, metricsPage, refusalsPage, rolesPage, settingsPage, simulatorPage } from './pages/lists.ts';
import { operationsPage } from './pages/operations.ts';
import type { Page } from './pages/page.ts';

/*
 * Makes the reference pages of this folder from the declarations, so that no list is written by hand. A test makes them again and
 * compares.
 *
 *   npm run reference
 */

const folder = import.meta.dirname;
const notice = '<!-- Made from the declarations by `npm run reference`. Do not edit this page. -->';

const pages: readonly Page[] = [
  operationsPage(),
  clientApiPage(),
  refusalsPage(),
  settingsPage(),
  rolesPage(),
  alarmsPage(),
  metricsPage(),
  simulatorPage(),
];

/** The text of every reference page by its file name. */
function referencePages(): ReadonlyMap<string, string> {
  const list = pages.map(({ file, title, summary }) => `- [${title}](${file}): ${summary}`);
  const index = ['# Reference', 'Complete lists, made from the code of this version.', list.join('\n')];
  return new Map([
    ['README.md', pageOf(index)],
    ...pages.map(({ file, title, blocks }) => [file, pageOf([`# ${title}`, ...blocks])] as const),
  ]);
}

function pageOf(blocks: readonly string[]): string {
  return `${[notice, ...blocks].join('\n\n')}\n`;
}

/** The reference pages in this folder that differ from the declarations. */
export function outdatedPages(): readonly string[] {
  const made = referencePages();
  const kept = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const isSame = (name: string) => kept.includes(name) && readFileSync(join(folder, name), 'utf8') === made.get(name);
  return [...new Set([...made.keys(), ...kept])].filter((name) => !isSame(name));
}

if (import.meta.main) {
  mkdirSync(folder, { recursive: true });
  const made = referencePages();
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.md') && !made.has(name)) rmSync(join(folder, name));
  }
  for (const [name, text] of made) writeFileSync(join(folder, name), text);
}
