import { importTests } from './import-tests.ts';

await importTests('gateway/src/store/**/*.test.ts');
