import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version } from '../../src/runtime/version.ts';
import { start } from '../support/gateway/morsel.ts';

/** Code that is loaded before the program, and makes it fail at an unexpected place. */
const fault = `Object.defineProperty(process, 'stdin', { get() { throw new TypeError('hu' + 'sh') } })`;

test('the message of a bug says what to keep and where to report it, and quotes nothing', async () => {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(fault)}`;
  const { status, out, errors } = await start(['status'], { environment: { NODE_OPTIONS } }).ended;
  assert.deepEqual([status, out], [70, '']);
  assert.match(errors, /^morsel: a bug: \{"at":"\d{4}-[^"]+Z","error":"TypeError","stack":\["at [^\n]+\n/);
  assert.ok(
    errors.includes(`this is a bug of Morsel ${version}: keep this line, its time, the lines of the log`),
    errors,
  );
  assert.match(errors, /request id.*CONTRIBUTING\.md says where to report a bug, and SECURITY\.md/);
  assert.doesNotMatch(errors, /hush/);
});
