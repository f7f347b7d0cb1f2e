import { importTests } from './support/import-tests.ts';

// The files of `edge/admin` stay apart: each has a gateway of its own, on which it makes what others make, too.
await importTests(
  'gateway/src/*.test.ts',
  'gateway/src/!(core|store|edge)/**/*.test.ts',
  'gateway/src/edge/*.test.ts',
  'gateway/src/edge/!(admin)/**/*.test.ts',
);
