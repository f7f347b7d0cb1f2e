import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { readShared } from '../../../../test/support/shared.ts';
import { formatMicros, toMicros } from '@morsel/api/values/money.ts';
import { readNetworkMap } from './network.ts';
import { readPriceFile, type FileWanted } from './read.ts';

const at = Date.UTC(2026, 5, 1);

function read(text: string, more: Partial<FileWanted> = {}) {
  return readPriceFile({ text, format: undefined, map: undefined, currency: 'EUR', at, mayBeFree: false, ...more });
}

function pricesIn(text: string, more: Partial<FileWanted> = {}) {
  const { prices, problems } = read(text, more);
  assert.deepEqual(problems, [], text);
  return Object.fromEntries([...prices].map(([prefix, price]) => [prefix, formatMicros(price)]));
}

describe('a price file in the format of Morsel', () => {
  const good: readonly (readonly [what: string, text: string, prices: object])[] = [
    ['with a heading', 'prefix,price\n41,0.0075\n', { 41: '0.0075' }],
    ['without one', '41,0.0075\n4179,1', { 41: '0.0075', 4179: '1' }],
    ['with a BOM, CRLF and empty lines', '\ufeffPrefix,Price\r\n\r\n41,0.000001\r\n', { 41: '0.000001' }],
    ['with comments and spaces', '# from our carrier\n 41 , 0.5 \n  # and so on\n', { 41: '0.5' }],
    ['with quotes', '"41","0.5"\n"42", "1.25"', { 41: '0.5', 42: '1.25' }],
    ['with semicolons and decimal commas', 'prefix;price\n41;0,05\n42;10,5\n43;2', { 41: '0.05', 42: '10.5', 43: '2' }],
    ['with tabs', '41\t0,05\n42\t0,1', { 41: '0.05', 42: '0.1' }],
    ['with quoted decimal commas', '41,"0,05"', { 41: '0.05' }],
    ['with prefixes as people write them', '+41,1\n0042,2\n"43 79",3\n*,4', { 41: '1', 42: '2', 4379: '3', '': '4' }],
    ['with the same said twice', '41,0.5\n+41,0.50', { 41: '0.5' }],
    ['of old line ends', '41,1\r42,2\r', { 41: '1', 42: '2' }],
    ['that is empty', '', {}],
  ];
  for (const [what, text, prices] of good) {
    it(`${what} is read`, () => assert.deepEqual(pricesIn(text), prices));
  }

  const bad: readonly (readonly [what: string, text: string, line: number, why: RegExp])[] = [
    ['a decimal comma between commas', '40,1\n41,0,05', 2, /3 cells.*with decimal commas, separate the cells by ;/],
    ['thousands', '41;1.234,56', 1, /must be digits with a decimal point/],
    ['what may be thousands', '41;0,05\n42;1,234', 2, /may separate thousands/],
    ['a comma where another price has a point', '41;0.05\n42;0,05', 2, /has a comma, but the price in line 1/],
    ['an exponent', '41,1e-3', 1, /exponent/],
    ['a negative price', '41,-1', 1, /negative/],
    ['seven decimals', '41,0.0000001', 1, /the price has at most 6 decimals/],
    ['no price', '41,', 1, /no price/],
    ['a currency sign', '41,€1', 1, /must be digits/],
    ['no digit before the point', '41,.5', 1, /must be digits/],
    ['too much', '41,1000000000.1', 1, /the price must be an amount from 0 to 1000000000/],
    ['a price of nothing', '41,0.000', 1, /--allow-free/],
    ['no prefix', ',1', 1, /write \* for every number/],
    ['letters', '4x,1', 1, /must be 1 to 15 digits/],
    ['a prefix with an exponent', '4.179E+03,1', 1, /exponent/],
    ['a national prefix', '079,1', 1, /must be 1 to 15 digits/],
    ['sixteen digits', '4179123456789012,1', 1, /must be 1 to 15 digits/],
    ['one prefix with two prices', '41,1\n42,1\n+41,2', 3, /prefix 41 has another price in line 1/],
    ['a quote that is not closed', '41,"1\n42,2', 1, /quote/],
    ['words behind a quote', '41,"1"x', 1, /quote/],
    ['a heading that comes late', '41,1\nprefix,price', 2, /must be 1 to 15 digits/],
  ];
  for (const [what, text, line, why] of bad) {
    it(`refuses ${what}, and says on which line`, () => {
      const [first] = read(text).problems;
      assert.equal(first?.line, line);
      assert.match(first.detail, why);
    });
  }

  it('has all its problems named, in the order of the lines', () => {
    const { problems } = read('4x,1\n41,1\n42,-1\n43\n41,2');
    assert.deepEqual(
      problems.map(({ line }) => line),
      [1, 3, 4, 5],
    );
  });

  it('may have prices of 0 if that is allowed', () => {
    assert.deepEqual(pricesIn('41,0', { mayBeFree: true }), { 41: '0' });
  });

  it('from price export is read back unchanged, whatever the prices are', () => {
    const prefix = fc.oneof(fc.constant('*'), fc.stringMatching(/^[1-9]\d{0,14}$/));
    const price = fc.bigInt({ min: 1n, max: 10n ** 15n });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(prefix, price), { selector: ([each]) => each }), (rows) => {
        const lines = rows.map(([each, micros]) => `${each},${formatMicros(toMicros(micros))}`);
        const { prices, problems } = read(['prefix,price', ...lines].join('\n'));
        assert.deepEqual(problems, []);
        assert.deepEqual(
          [...prices],
          rows.map(([each, micros]) => [each === '*' ? '' : each, micros]),
        );
      }),
    );
  });
});

function row(network: string, price: string, time = '2021-01-01T00:00:00+00:00'): string {
  return `${network},${price},0,EUR,${time}\n`;
}

describe('a list by network', () => {
  const { map, problems } = readNetworkMap(
    'prefix,mccmnc\n41791,22801\n41792,22801\n41781,228-02\n2299,616005\n1310,310-026\n1311,310-26\n42077,230-04',
  );
  assert.deepEqual(problems, []);
  const heading = 'MCCMNC,PriceSubmit,PriceDelivered,Currency,Effective\n';

  it('gives every prefix of a network its price on submit', () => {
    const text = `${heading}${row('22801', '0.008100')}${row('616005', '0.05')}`;
    assert.deepEqual(pricesIn(text, { map }), { 41791: '0.0081', 41792: '0.0081', 2299: '0.05' });
  });

  it('of a supplier is read as it is, and left-out lines are counted', (t) => {
    const text = readShared(t, 'prices/melrose-labs-supplier-import.csv');
    if (text === undefined) return;
    const { prices, leftOut, format } = read(text, { map });
    assert.deepEqual([format, [...prices]], ['mccmnc', [['2299', 8_100n]]]);
    assert.deepEqual(leftOut, [
      { why: 'the currency is GBP, not EUR', rows: 1, first: 2 },
      { why: 'the mapping does not have the network', rows: 1, first: 4 },
    ]);
  });

  it('gives the prices in effect at the given time, and counts later and expired prices', () => {
    const later = '2026-07-01T00:00:00+02:00';
    const text = `${heading}${row('22801', '1')}${row('22801', '2', '2026-05-01T00:00:00Z')}${row('22801', '3', later)}`;
    const { prices, leftOut } = read(text, { map });
    assert.equal(prices.get('41791'), 2_000_000n);
    assert.deepEqual(
      leftOut.map(({ why, first }) => [why.slice(0, 50), first]),
      [
        ['the network has a later price in the file', 2],
        ['the price takes effect later, at 2026-06-30T22:00:', 4],
      ],
    );
    assert.equal(pricesIn(text, { map, at: Date.parse(later) })['41791'], '3');
    assert.equal(pricesIn(text, { map, at: Date.parse(later) - 1 })['41791'], '2');
  });

  const bad: readonly (readonly [what: string, text: string, line: number, why: RegExp])[] = [
    ['four digits', `${heading}${row('2281', '1')}`, 2, /must be 5 or 6 digits/],
    ['a time without a zone', `${heading}${row('22801', '1', '2026-05-01T00:00:00')}`, 2, /a time and a zone/],
    [
      'a day that is none',
      `${heading}${row('22801', '1', '2026-13-01T00:00:00Z')}`,
      2,
      /a day and a time of day that exist/,
    ],
    [
      'a day that no year has',
      `${heading}${row('22801', '1', '2026-02-30T00:00:00Z')}`,
      2,
      /a day and a time of day that exist/,
    ],
    [
      'a leap day of another year',
      `${heading}${row('22801', '1', '2027-02-29 00:00:00+0100')}`,
      2,
      /a day and a time of day that exist/,
    ],
    ['two prices at one time', `${heading}${row('22801', '1')}${row('22801', '2')}`, 3, /another price in line 2/],
    ['a row that is too short', `${heading}22801,1\n`, 2, /2 cells, but the heading has 5/],
    ['a free network', `${heading}${row('22801', '0.0')}`, 2, /--allow-free/],
    ['a layout without its columns', 'MCCMNC,Price\n22801,1\n', 1, /no column pricesubmit/],
  ];
  for (const [what, text, line, why] of bad) {
    it(`refuses ${what}, and says on which line`, () => {
      const [first] = read(text, { map, format: 'mccmnc' }).problems;
      assert.equal(first?.line, line);
      assert.match(first.detail, why);
    });
  }

  it('in four columns is read if MWX is the MCC followed by the MNC', () => {
    const text = 'MCC,MNC,MWX,RATE\n228,01,22801,0.01\n310,026,310026,0.02\n';
    assert.deepEqual(pricesIn(text, { map }), { 41791: '0.01', 41792: '0.01', 1310: '0.02' });
    assert.match(read('MCC,MNC,MWX,RATE\n228,01,2281,0.01\n', { map }).problems[0]?.detail ?? '', /MWX/);
  });

  it('in JSON is read although network codes lost their zeros, unless a code may mean two networks', () => {
    const text =
      '{"items":[\n{"country_code":"CZE","mcc":230,"mnc":4,"price":"0.08533"},\n{"mcc":228,"mnc":1,"price":"0.1"}]}';
    assert.deepEqual(pricesIn(text, { map }), { 42077: '0.08533', 41791: '0.1', 41792: '0.1' });
    const [first] = read('[\n{"mcc":228,"mnc":"02","price":"1"},\n{"mcc":310,"mnc":26,"price":"1"}]', { map }).problems;
    assert.equal(first?.line, 2);
    assert.match(first.detail, /may be 310-026 or 310-26/);
    const oneLine =
      '[{"mcc":228,"mnc":1,"price":"0.1"},{"mcc":228,"mnc":"02","price":"x"},{"mcc":228,"mnc":1,"price":"0,2"}]';
    const wrong = read(oneLine, { map });
    assert.equal(wrong.place, 'item');
    assert.deepEqual(
      wrong.problems.map(({ line, detail }) => [line, detail]),
      [
        [2, 'the price must be digits with a decimal point, such as 0.0075'],
        [3, 'prefix 41791 has another price in item 1'],
        [3, 'prefix 41792 has another price in item 1'],
        [3, 'the price has a comma, but the price in item 1 has a decimal point'],
      ],
    );
    assert.match(read('[{"price":"1"}]', { map }).problems[0]?.detail ?? '', /MCC must have 3 digits/);
    const unknown = read('[\n{"mcc":228,"mnc":1,"price":"1"},{"mcc":999,"mnc":1,"price":"1"}]', { map });
    assert.deepEqual(
      unknown.leftOut.map(({ first: item }) => item),
      [2],
    );
    assert.deepEqual(pricesIn('[{"mcc":"310","mnc":"26","price":1.25}]', { map }), { 1311: '1.25' });
    assert.match(read('[{"mcc":228,"mnc":1}]', { map }).problems[0]?.detail ?? '', /no price/);
    assert.match(read('[{', { map }).problems[0]?.detail ?? '', /not a JSON list/);
  });

  it('needs a mapping of networks, whose problems name their lines, too', () => {
    assert.match(read(`${heading}${row('22801', '1')}`).problems[0]?.detail ?? '', /--mapping/);
    const wrong = readNetworkMap('41791,22801\n41791,22802\n4x,22801\n42,2281\n43').problems;
    assert.deepEqual(
      wrong.map(({ line }) => line),
      [2, 3, 4, 5],
    );
  });
});
