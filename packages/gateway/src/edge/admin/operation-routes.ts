import { adminBase, lateNodesHeader } from '@morsel/api/admin/client.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Exchange, HttpRoute, Success } from '../http/routes.ts';
import { partyOf, type Admission } from './access/admission.ts';
import { answerJson, perform, type Bound } from './bind.ts';
import { bound } from './handlers.ts';
import { isStreamWanted, type LiveAnswers } from './live.ts';
import type { OperatorNeeds } from './operator-needs.ts';
import { readFields, type RequestFields } from './request-fields.ts';
import { csvForm, formOf, startRows } from './rows.ts';

/* The routes of the declared operations: as JSON, lists also as CSV or JSON lines, single answers also as event streams. */

interface OperationNeeds {
  readonly operator: OperatorNeeds;
  readonly admission: Admission;
  readonly live: LiveAnswers;
}

/** The end of further paths that serve lists as CSV. A link in a web page cannot ask for CSV with the header Accept. */
const csvEnd = '.csv';

export function operationRoutes(needs: OperationNeeds): readonly HttpRoute[] {
  return bound.flatMap((each) => {
    const { method, path, bodyMax, isPage } = each.operation;
    const route: HttpRoute = {
      path: `${adminBase}${path}`,
      methods: [method],
      bodyMax,
      admit: (exchange) => needs.admission.admit(exchange) ?? needs.admission.check(exchange, each.operation),
      run: (exchange) => answer(needs, each, { exchange, form: formOf(exchange.request.headers.accept) }),
    };
    const run: HttpRoute['run'] = (exchange) => answer(needs, each, { exchange, form: csvForm });
    return isPage ? [route, { ...route, path: `${route.path}${csvEnd}`, run }] : [route];
  });
}

async function answer(
  needs: OperationNeeds,
  each: Bound,
  { exchange, form }: { readonly exchange: Exchange; readonly form: ReturnType<typeof formOf> },
): Promise<Result<Success, Rejection>> {
  const { operation } = each;
  const fields = readFields(exchange, Object.hasOwn(operation.input, 'text'));
  if (!fields.ok) return fields;
  const given = fields.value;
  const operator = { ...needs.operator, caller: needs.admission.callerOf(exchange) };
  if (operation.isPage && form) {
    const rows = await startRows(each, operator, { given, form });
    return rows.ok ? ok({ body: rows.value, headers: { 'Content-Type': `${form.type}; charset=utf-8` } }) : rows;
  }
  const isStream = !operation.isPage && operation.method === 'GET' && isStreamWanted(exchange.request.headers.accept);
  if (isStream) return openStream({ ...needs, operator }, each, { exchange, given });
  const done = await perform(each, operator, given);
  if (!done.ok) return done;
  const { late } = operator.nodes;
  return ok({
    body: writeJson(answerJson(operation, done.value, operator.caller.role)),
    headers: operation.method !== 'GET' && late.length > 0 ? { [lateNodesHeader]: late.join(', ') } : {},
  });
}

function openStream(
  { operator, admission, live }: OperationNeeds,
  each: Bound,
  { exchange, given }: { readonly exchange: Exchange; readonly given: RequestFields },
): Result<Success, Rejection> {
  const { operation } = each;
  const { caller } = operator;
  // The answer, or its entry in the audit log, depends on the caller beyond the role.
  const isOfCaller = operation.path.startsWith('/whoami') || operation.discloses;
  const stream = live.open({
    name: `${exchange.request.url} ${caller.role} ${isOfCaller ? JSON.stringify(caller) : ''}`,
    ask: async () => {
      const done = await perform(each, operator, given);
      return done.ok ? ok(answerJson(operation, done.value, caller.role)) : done;
    },
    party: partyOf(caller),
    isAllowed: () => admission.isStillAdmitted(exchange),
  });
  if (!stream.ok) return stream;
  const { events, close: closed } = stream.value;
  return ok({ body: events, closed, headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } });
}
