import { importTests } from '../support/import-tests.ts';

await importTests(
  'gateway/src/store/decide/money/!(million-charges).test.ts',
  'gateway/src/store/decide/{notification,number}/*.test.ts',
  'gateway/test/crash/ledger-model.test.ts',
);
