/* The SQL of lookups in the queue. Only PostgreSQL asks for all lines at once: SQLite goes from line to line. */

export const queueTexts = {
  // Finds each account queue with one step of an index, however many parts wait in it.
  'queue.lines': `with recursive line as (
    (select route, eligible, priority, account from queue order by route, eligible, priority, account limit 1)
    union all
    select next.route, next.eligible, next.priority, next.account from line cross join lateral (
      select route, eligible, priority, account from queue
        where (queue.route, queue.eligible, queue.priority, queue.account) > (line.route, line.eligible, line.priority, line.account)
        order by route, eligible, priority, account limit 1) as next
  ) select route, eligible, priority, account from line`,
  'queue.head': `where route = ? and eligible = ? and priority = ? and account = ? and due <= ? and due >= ?
    order by due, message, part limit ?`,
  'queue.next-due':
    'select min(due) as due from queue where route = ? and eligible = ? and priority = ? and account = ? and due > ?',
} as const;
