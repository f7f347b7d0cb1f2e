import { importTests } from '../support/import-tests.ts';

await importTests(
  'gateway/src/state/decide/*.test.ts',
  'gateway/src/state/decide/{access,account,routing}/*.test.ts',
  'gateway/src/{state/rows,store/views}/**/*.test.ts',
  'gateway/src/flow/{notification/notify,message/inbound-answers,routing/routing}.test.ts',
);
