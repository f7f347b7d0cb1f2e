import { ok } from '@morsel/api/values/result.ts';
import { fieldsOf } from '../../../../core/notification/fields.ts';
import { asJson } from '../../../../core/notification/template.ts';
import { accountNamed } from '../../../../operator/account/known-account.ts';
import type { Handlers } from '../../bind.ts';

export const eventHandlers: Handlers<'event'> = {
  listen: async (needs, { account, after }) => {
    const named = accountNamed(needs, account);
    if (!named.ok) return named;
    const heard = await needs.listening.listen(named.value.id, after);
    if (!heard.ok) return heard;
    const events = heard.value.events.map(({ number, content }) => ({ number, body: asJson(fieldsOf(content)) }));
    return ok({ ...heard.value, events });
  },
};
