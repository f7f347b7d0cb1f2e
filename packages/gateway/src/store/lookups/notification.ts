/* The SQL of lookups and effects about notifications, keywords, and opt-outs. */

const dead = (where: string) => `where ${where} and id > ? order by id limit ?`;
const isErased = "receiver >= '~a' and receiver < '~{'";

export const notificationTexts = {
  // This condition lets the engine use an index of only waiting rows.
  'notification.later-for-webhook': 'where webhook = ? and by_session in (0, 1) and due > ? order by due limit ?',
  'notification.later-for-sessions': 'where account = ? and by_session = 1 and due > ? order by due limit ?',
  'notification.later-for-callback': 'where account = ? and is_callback = 1 and due > ? order by due limit ?',
  // Goes from account to account, in the order of the index.
  'notification.unclaimed': `where id in (select notification.id from account cross join notification
    where notification.account = account.id and notification.by_session = 1 and notification.due < ?
      and notification.webhook is null limit ?)`,
  'notification.following': 'where id > ? and id < (select max(id) from notification) order by id limit ?',
  'notification.left-by-webhooks':
    'where due is not null and webhook in (select id from webhook where removed_at is not null) limit ?',
  'notification.only': dead('id = ?'),
  'notification.dead-of-webhook': dead("state = 'dead' and webhook = ?"),
  'notification.dead-of-account': dead("state = 'dead' and account = ?"),
  'notification.dead': dead("state = 'dead'"),
  'notification.delete': [
    'delete from notification_try where notification = ?',
    'delete from notification where id = ?',
  ],
  'notification_try.delete': 'delete from notification_try where notification = ? and number = ?',

  'keyword.of-account': 'where account = ? order by digits, kind, word',
  'keyword.of-number': 'select word, account from keyword where digits = ? and kind = ?',
  'keyword.count': 'select count(*) as count from keyword',
  'opt_out.of-account': 'select account from opt_out where account = ? limit 1',
  'opt_out.any': 'select account from opt_out limit 1',
  'opt_out.erased-of-account': `select account from opt_out where account = ? and ${isErased} limit 1`,
  'opt_out.any-erased': `select account from opt_out where ${isErased} limit 1`,
  'opt_out_event.last-changes': 'select account, max(at) as at from opt_out_event where receiver = ? group by account',
} as const;
