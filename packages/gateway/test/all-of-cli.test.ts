import { importTests } from './support/import-tests.ts';

await importTests('cli/src/**/*.test.ts', 'gateway/test/cli/*.test.ts');
