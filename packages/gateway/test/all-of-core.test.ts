import { importTests } from './support/import-tests.ts';

await importTests('gateway/src/core/**/*.test.ts', 'gsm/src/**/*.test.ts');
