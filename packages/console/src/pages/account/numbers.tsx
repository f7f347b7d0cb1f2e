/* The numbers and keywords of an account, and the receivers that opted out. */

import { keyword } from '@morsel/api/admin/number/keyword.ts';
import { number } from '@morsel/api/admin/number/number.ts';
import { optOut } from '@morsel/api/admin/number/opt-out.ts';
import { ActionButton } from '../../ui/action.tsx';
import { List } from '../../ui/list.tsx';
import { words } from '../../words/words.ts';

interface OfAccount {
  readonly name: string;
}

export function Numbers({ name }: OfAccount) {
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.numbers}
        operation={number.operations.list}
        fixed={fixed}
        toolbar={
          <ActionButton
            label={words.account.addNumber}
            operation={number.operations.add}
            fixed={fixed}
            kind="primary"
          />
        }
        actions={({ number: digits, kind }) => (
          <ActionButton
            label={words.remove}
            operation={number.operations.remove}
            fixed={{ number: digits, kind }}
            kind="danger"
            warning={words.account.removeNumberWarns}
          />
        )}
        whenEmpty={words.account.noNumbers}
      />
      <List
        title={words.account.keywords}
        operation={keyword.operations.list}
        fixed={fixed}
        toolbar={<ActionButton label={words.account.addKeyword} operation={keyword.operations.add} fixed={fixed} />}
        actions={({ number: digits, kind, word }) => (
          <ActionButton
            label={words.remove}
            operation={keyword.operations.remove}
            fixed={{ number: digits, kind, word }}
            kind="danger"
            warning={words.account.removeKeywordWarns}
          />
        )}
        whenEmpty={words.account.noKeywords}
      />
    </>
  );
}

export function OptOuts({ name }: OfAccount) {
  const { add, list, history, remove: end } = optOut.operations;
  const fixed = { account: name };
  return (
    <>
      <List
        title={words.account.optOuts}
        operation={list}
        fixed={fixed}
        toolbar={<ActionButton label={words.account.addOptOut} operation={add} fixed={fixed} />}
        actions={({ receiver, sender }) => (
          <ActionButton
            label={words.remove}
            operation={end}
            fixed={{ ...fixed, receiver, ...(sender !== null && { sender }) }}
            kind="danger"
            warning={words.account.removeOptOutWarns}
          />
        )}
        whenEmpty={words.account.noOptOuts}
      />
      <List title={words.account.optOutHistory} operation={history} fixed={fixed} hasFilters={false} />
    </>
  );
}
