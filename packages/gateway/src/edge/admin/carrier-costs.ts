import { ok } from '@morsel/api/values/result.ts';
import { instant, invalid, messageId, name, optional, readFields } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import type { Reader } from '../../store/reader.ts';
import type { PartsAtCost } from '../../store/views/money/carrier-costs.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time } from './present.ts';
import { askCarrier } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

/* What a carrier should invoice us, counted a page of messages at a time, in the thread that reads what is large. */

interface CarrierCostNeeds extends QuestionNeeds {
  readonly prices: Pick<Reader, 'ask'>;
}

const costFields = {
  carrier: name,
  from: instant,
  to: optional(instant, null),
  next: optional(messageId, null),
};

export async function askCarrierCost(needs: CarrierCostNeeds, fields: Fields): Answer {
  const read = readFields(costFields, fields);
  if (!read.ok) return read;
  const { carrier, from, next } = read.value;
  const now = needs.clock.now();
  if (from > now) return invalid('from', 'it is still to come, and no carrier has accepted anything then');
  const to = read.value.to ?? now;
  if (to <= from) return invalid('to', 'it has to be later than from: parts of its own instant are not in it');
  const owner = await askCarrier(needs, carrier);
  if (!owner.ok) return owner;
  const found = await needs.prices.ask('carrierCosts', { carrier, from, to, next });
  if (!found.ok) return found;
  return ok({
    carrier,
    from: time(from),
    to: time(to),
    costs: found.value.costs.map(showCosts),
    next: found.value.next === null ? null : String(found.value.next),
  });
}

function showCosts({ unitCost, parts }: PartsAtCost): Json {
  return { unitCost: unitCost?.amount ?? null, currency: unitCost?.currency ?? null, parts };
}
