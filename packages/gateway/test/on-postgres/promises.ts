import { importTests } from '../support/import-tests.ts';

await importTests(
  'gateway/test/tour/{message,race,doubt,idempotency,inbound,opt-out,outcomes,every-api,webhooks}.test.ts',
);
