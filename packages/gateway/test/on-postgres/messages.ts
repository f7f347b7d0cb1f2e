import { importTests } from '../support/import-tests.ts';

await importTests('gateway/src/store/*.test.ts', 'gateway/src/state/decide/message/*.test.ts');
