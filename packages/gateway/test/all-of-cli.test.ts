import { importTests } from './import-tests.ts';

await importTests('gateway/src/cli/**/*.test.ts', 'gateway/test/cli/*.test.ts');
