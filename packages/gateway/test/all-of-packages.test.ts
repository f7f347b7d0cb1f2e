import { importTests } from './support/import-tests.ts';

await importTests('api/src/**/*.test.ts', 'smpp/src/**/*.test.ts');
