import { importTests } from '../support/import-tests.ts';

await importTests(
  'gateway/src/state/decide/money/!(million-charges).test.ts',
  'gateway/src/state/decide/{notification,number}/*.test.ts',
  'gateway/test/crash/ledger-model.test.ts',
);
