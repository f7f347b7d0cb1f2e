import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

/*
 * A gateway starts a thread that writes and threads that read. Each loads some 220 modules, which takes 0.3 s of a
 * processor, and the tests start hundreds of threads. In a process with this file as its `--import`, such a thread
 * loads one file instead, which `run.ts` has made of the same modules.
 */

export const threadFiles = ['sqlite', 'postgres'].flatMap((engine) =>
  ['reader', 'writer'].map((kind) => `packages/gateway/src/store/${engine}/${kind}-thread.ts`),
);
export const threadsFolder = join(import.meta.dirname, '..', 'node_modules', '.cache', 'threads');

/** The name of the file made of a thread's modules. */
export function bundleOf(file: string): string {
  return `${file.replaceAll('/', '-')}.mjs`;
}

registerHooks({
  load: (url, context, next) => {
    const file = threadFiles.find((each) => url.endsWith(each));
    if (file === undefined) return next(url, context);
    return { format: 'module', shortCircuit: true, source: readFileSync(join(threadsFolder, bundleOf(file)), 'utf8') };
  },
});
