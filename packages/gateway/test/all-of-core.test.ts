import { importTests } from './import-tests.ts';

await importTests('gateway/src/core/**/*.test.ts', 'gsm/src/**/*.test.ts');
