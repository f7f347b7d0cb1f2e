import { importTests } from './support/import-tests.ts';

await importTests('gateway/src/edge/admin/**/*.test.ts');
