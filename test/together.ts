import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';

/*
 * Runs the test files that are its arguments in this process, one after the other. Each file is a suite, so that its
 * `before` and `after` run around its own tests: only one file at a time has a gateway.
 */

const root = join(import.meta.dirname, '..');

/**
 * These modules start a gateway or make a folder for the test file that imports them, so each test file gets its own
 * copy.
 */
const ofOneFile = /\/test\/support\/(?:[^/]+\/)?(?:admin-api|morsel)\.ts$/;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    return ofOneFile.test(found.url) ? { ...found, url: `${found.url}?of=${context.parentURL ?? ''}` } : found;
  },
});

for (const file of process.argv.slice(2)) {
  await describe(file, async () => {
    // A test may wait for a timer that does not keep the process alive, so another timer does.
    let alive: NodeJS.Timeout | undefined;
    before(() => {
      alive = setInterval(() => undefined, 60_000);
    });
    try {
      await import(join(root, file));
    } finally {
      after(() => clearInterval(alive));
    }
  });
}
