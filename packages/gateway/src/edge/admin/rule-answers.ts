import { ok } from '@morsel/api/values/result.ts';
import { name, optional, readFields } from '../../operator/fields.ts';
import type { Fields } from '../../operator/fields.ts';
import type { RuleHitsView } from '../../store/views/account/rule-hits.ts';
import type { Json } from '@morsel/api/admin/exact-json.ts';
import { time } from './present.ts';
import { askAccount, shown } from './questions.ts';
import type { QuestionNeeds } from './questions.ts';
import type { Answer } from './answer.ts';

export interface RuleHitNeeds extends QuestionNeeds {
  readonly ruleHits: { write(): Promise<void> };
}

/** How often the rules of an account, or of all, were broken, up to now. */
export async function askRuleHits(needs: RuleHitNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, null) }, fields);
  if (!read.ok) return read;
  const { account } = read.value;
  const owner = account === null ? ok(null) : await askAccount(needs, account);
  if (!owner.ok) return owner;
  await needs.ruleHits.write();
  return shown(await needs.reader.ask('ruleHits', account), (hits) => hits.map(showRuleHits));
}

function showRuleHits(hits: RuleHitsView): Json {
  return {
    account: hits.account,
    rule: hits.rule,
    watched: hits.watched,
    refused: hits.refused,
    firstAt: time(hits.firstAt),
    lastAt: time(hits.lastAt),
    lastSender: hits.sender,
    lastReceiver: hits.receiver,
  };
}
