import { ok } from '@morsel/api/values/result.ts';
import { addLogin, removeLogin, setLogin } from '../../operator/logins.ts';
import type { LoginNeeds, Made } from '../../operator/logins.ts';
import { flag, name, optional, readFields } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import type { LoginView } from '../../store/views/account/logins.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { showAllowed, time, timeOrNull } from './present.ts';
import { askAccount, shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/** The logins of an account, or all; with `removed` those that were removed, too. Nothing of their passwords. */
export async function askLogins(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, null), removed: optional(flag, false) }, fields);
  if (!read.ok) return read;
  const { account, removed: isRemovedToo } = read.value;
  const owner = account === null ? ok(null) : await askAccount(needs, account);
  if (!owner.ok) return owner;
  return shown(await needs.reader.ask('logins', { account, isRemovedToo }), (logins) => logins.map(showLogin));
}

export async function makeLogin(needs: LoginNeeds, fields: Fields): Answer {
  return shown(await addLogin(needs, fields), showMade);
}

export async function changeLogin(needs: LoginNeeds & QuestionNeeds, fields: Fields): Answer {
  const set = await setLogin(needs, fields);
  if (!set.ok) return set;
  const { systemId, warning } = set.value;
  return shown(await needs.reader.ask('logins', { account: null }), (logins) => {
    const login = logins.find((each) => each.systemId === systemId);
    return { ...(login && showLogin(login)), ...(warning !== undefined && { warning }) };
  });
}

export async function endLogin(needs: LoginNeeds, fields: Fields): Answer {
  return shown(await removeLogin(needs, fields), showMade);
}

function showMade({ systemId, account, password, warning }: Made): Json {
  return {
    systemId,
    ...(account !== undefined && { account }),
    ...(password !== undefined && { password }),
    ...(warning !== undefined && { warning }),
  };
}

function showLogin(login: LoginView): { readonly [member: string]: Json } {
  return {
    systemId: login.systemId,
    account: login.account,
    from: showAllowed(login.from),
    createdAt: time(login.createdAt),
    lastBindAt: timeOrNull(login.lastBindAt),
    removedAt: timeOrNull(login.removedAt),
  };
}
