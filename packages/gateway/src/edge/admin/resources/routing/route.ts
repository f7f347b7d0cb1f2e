import { ok } from '@morsel/api/values/result.ts';
import { explainRoute } from './explain-route.ts';
import { addRoute, placeOf, removeRoute, setRoute } from './routes.ts';
import type { Handlers } from '../../bind.ts';

export const routeHandlers: Handlers<'route'> = {
  add: addRoute,
  set: setRoute,
  list: async (needs, page) => {
    const found = await needs.reader.ask('routes', page);
    if (!found.ok) return found;
    const { items, next } = found.value;
    return ok({ items: items.map((each) => ({ ...each, ...placeOf(each) })), next });
  },
  remove: removeRoute,
  explain: async (needs, asked) => explainRoute(needs, asked),
};
