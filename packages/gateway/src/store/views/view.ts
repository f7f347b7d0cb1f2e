import type { AnswerInside, InputInside } from '@morsel/api/admin/inside.ts';
import type { OperationName } from '@morsel/api/admin/resources.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { Queries } from './queries.ts';

/** A view of an operation. It takes the declared input and the operator's name, and returns the declared answer. */
export type View<N extends OperationName> = (
  queries: Queries,
  input: InputInside<N> & { readonly now: Instant; readonly caller: string },
) => Promise<Result<AnswerInside<N>, Rejection>>;
