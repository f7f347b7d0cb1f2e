import { ok } from '@morsel/api/values/result.ts';
import { accountNamed } from '../../../../core/named.ts';
import { asJson, fieldsOf } from '../../../clients/morsel/notify.ts';
import type { Handlers } from '../../bind.ts';

export const eventHandlers: Handlers<'event'> = {
  listen: async (needs, { account, after }) => {
    const named = accountNamed(needs.snapshot(), account);
    if (!named.ok) return named;
    const listened = await needs.listening.listen(named.value.id, after);
    if (!listened.ok) return listened;
    const events = listened.value.events.map(({ number, content }) => ({ number, body: asJson(fieldsOf(content)) }));
    return ok({ ...listened.value, events });
  },
};
