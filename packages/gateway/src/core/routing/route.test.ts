import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  arrangeRoutes,
  chooseRoute,
  considerRoutes,
  type Route,
  type RouteMatch,
  type RouteQuestion,
} from './route.ts';

const any = { sender: null, account: null, encoding: null } as const;
const matches: readonly RouteMatch[] = [
  { ...any, prefix: '' },
  { ...any, prefix: '41' },
  { ...any, prefix: '4179' },
  { ...any, prefix: '41', sender: 'ACME' },
  { ...any, prefix: '41', sender: 'ACM*' },
  { ...any, prefix: '41', sender: 'A*' },
  { ...any, prefix: '41', account: 7 },
  { ...any, prefix: '41', encoding: 'ucs2' },
  { ...any, prefix: '41', account: 7, encoding: 'ucs2' },
  { ...any, prefix: '41', sender: 'A*', account: 7 },
  { ...any, prefix: '4178', sender: '+41*' },
  { ...any, prefix: '44', account: 7 },
];
const routes = matches.map((match, index): Route => ({ ...match, id: index, by: 'weight', carriers: [] }));
const table = arrangeRoutes(routes);
const plain: RouteQuestion = { receiver: '+41761234567', sender: '+41790000001', account: 1, encoding: 'gsm7' };

/** The conditions of a route as one text. */
const routeKey = ({ prefix, sender, account, encoding }: RouteMatch) =>
  JSON.stringify([prefix, sender, account, encoding]);

describe('the route of a message', () => {
  const rows: readonly (readonly [what: string, message: Partial<RouteQuestion>, match: RouteMatch | undefined])[] = [
    ['has only a prefix if no narrower route matches', {}, matches[1]],
    ['has the longest prefix', { receiver: '+41791234567' }, matches[2]],
    [
      'has the longest prefix, even if a route with a shorter prefix is narrower',
      { receiver: '+41791234567', sender: 'ACME' },
      matches[2],
    ],
    ['has the empty prefix if no other matches', { receiver: '+33612345678' }, matches[0]],
    ['has the exact sender of the message', { sender: 'ACME', account: 7, encoding: 'ucs2' }, matches[3]],
    ['has the longest beginning of the sender', { sender: 'ACMX' }, matches[4]],
    ['has a shorter beginning of the sender', { sender: 'AXE' }, matches[5]],
    ['has a beginning of the sender, and the account', { sender: 'AXE', account: 7 }, matches[9]],
    ['has the account of the message', { account: 7 }, matches[6]],
    ['has the encoding of the message', { encoding: 'ucs2' }, matches[7]],
    ['has the account and the encoding of the message', { account: 7, encoding: 'ucs2' }, matches[8]],
    ['has the beginning of a number as sender', { receiver: '+41781234567' }, matches[10]],
    [
      'has a shorter prefix if the longest requires another sender',
      { receiver: '+41781234567', sender: 'Shop' },
      matches[1],
    ],
    ['has a shorter prefix if the longest is of another account', { receiver: '+447700900123' }, matches[0]],
    ['requires no sender if the message has none', { sender: null }, matches[1]],
  ];
  for (const [what, message, match] of rows) {
    it(what, () => {
      const route = chooseRoute(table, { ...plain, ...message });
      assert.equal(route && routeKey(route), match && routeKey(match));
    });
  }

  it('does not exist if no route matches', () => {
    const narrow = arrangeRoutes(routes.filter((route) => route.sender !== null));
    assert.equal(chooseRoute(narrow, plain), undefined);
  });
});

const encodings = fc.constantFrom(null, 'gsm7' as const, 'ucs2' as const);
const match: fc.Arbitrary<RouteMatch> = fc.record({
  prefix: fc.constantFrom('', '4', '41', '417', '4176'),
  sender: fc.constantFrom(null, 'A*', 'AC*', 'AC', 'B'),
  account: fc.constantFrom(null, 1, 2),
  encoding: encodings,
});

it('the route that admission chooses is the first matching route that route explain lists', () => {
  const message = fc.record({
    receiver: fc.constantFrom('+41761234567', '+4412345678'),
    sender: fc.constantFrom(null, 'A', 'AC', 'ACME', 'B'),
    account: fc.constantFrom(1, 2),
    encoding: fc.constantFrom('gsm7', 'ucs2'),
  });
  fc.assert(
    fc.property(fc.uniqueArray(match, { selector: routeKey, maxLength: 20 }), message, (list, asked) => {
      const arranged = arrangeRoutes(list.map((each, id) => ({ ...each, id, by: 'weight', carriers: [] })));
      const considered = considerRoutes(arranged, asked);
      assert.equal(chooseRoute(arranged, asked), considered.find(({ miss }) => miss === null)?.route);
      const digits = asked.receiver.slice(1);
      assert.equal(considered.length, list.filter(({ prefix }) => digits.startsWith(prefix)).length);
    }),
  );
});
