import { importTests } from '../support/import-tests.ts';

await importTests(
  'gateway/src/store/decide/*.test.ts',
  'gateway/src/store/decide/{access,account,routing}/*.test.ts',
  'gateway/src/store/{rows,views}/**/*.test.ts',
  'gateway/src/flow/{notification/notify,message/inbound-answers,routing/routing}.test.ts',
);
