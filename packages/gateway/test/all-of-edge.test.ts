import { importTests } from './support/import-tests.ts';

// The tests of `edge/admin` are in all-of-admin.test.ts.
await importTests(
  'gateway/src/*.test.ts',
  'gateway/src/!(core|store|edge)/**/*.test.ts',
  'gateway/src/edge/*.test.ts',
  'gateway/src/edge/!(admin)/**/*.test.ts',
);
