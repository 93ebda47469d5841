import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isTokenIdList,
  tokenIdSource,
  iterateTokenIds,
  MAX_TOKEN_IDS,
  parseTokenIdLines,
  parseTokenIds,
  type TokenIds,
} from './token-ids.js';

const parse = (text: string): TokenIds => {
  const source = tokenIdSource.parse(text);
  if (isTokenIdList(source)) throw new Error(`${text} is a URL`);
  return source;
};
const expand = (text: string): bigint[] => [...iterateTokenIds(parse(text))];
const reasonOf = (text: string): string | undefined =>
  tokenIdSource.safeParse(text).error?.issues[0]?.message;

const item = fc
  .tuple(fc.nat(200), fc.option(fc.nat(20), { nil: undefined }), fc.nat(3))
  .map(([from, length, zeros]) => ({
    text: `${'0'.repeat(zeros)}${from}${length === undefined ? '' : `-${from + length}`}`,
    ids: Array.from({ length: (length ?? 0) + 1 }, (_, at) => BigInt(from + at)),
  }));

describe('parseTokenIds', () => {
  it('parseTokenIds: returns the set of all ids, each once and ascending', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 12 }), (items) => {
        const expected = [...new Set(items.flatMap(({ ids }) => ids))].sort((a, b) => Number(a - b));
        const text = items.map((one) => one.text).join(',');
        expect(expand(text)).toEqual(expected);
        expect(parse(text).count).toBe(expected.length);
      }),
    );
  });

  it('parseTokenIds: keeps every digit of long ids', () => {
    const id = 7n * 10n ** 76n + 771_769n;
    expect(expand(`${id},${id + 1n}-${id + 2n}`)).toEqual([id, id + 1n, id + 2n]);
    const last = (1n << 256n) - 1n;
    expect(expand(String(last))).toEqual([last]);
    expect(reasonOf(String(last + 1n))).toMatch(/above 2\^256/);
  });

  it('parseTokenIds: ignores leading zeros', () => {
    expect(expand('007,7,0')).toEqual([0n, 7n]);
  });

  it('parseTokenIds: allows ten thousand ids, however they are written', () => {
    expect(expand(`1-${MAX_TOKEN_IDS}`)).toHaveLength(MAX_TOKEN_IDS);
    expect(expand('1-6000,4000-10000')).toHaveLength(MAX_TOKEN_IDS);
    expect(reasonOf(`0-${MAX_TOKEN_IDS}`)).toMatch(/more than 10000/);
    expect(reasonOf(`0-1${'0'.repeat(70)}`)).toMatch(/more than 10000/);
    expect(reasonOf(Array.from({ length: MAX_TOKEN_IDS + 1 }, () => '1').join(','))).toMatch(
      /more than 10000/,
    );
  });

  it.each([
    '',
    ',',
    '1,',
    ',1',
    '1, 2',
    ' 1',
    '1 -2',
    '-1',
    '1-',
    '1--2',
    '1-2-3',
    '+1',
    '1e3',
    '0x10',
    '1.5',
    '٣',
    'a',
  ])('parseTokenIds: rejects %j', (text) => {
    expect(reasonOf(text)).toMatch(/comma separated without spaces/);
  });

  it('parseTokenIds: rejects a range that ends before it starts', () => {
    expect(reasonOf('90-30')).toMatch(/ends before it starts: 90-30/);
  });

  it('parseTokenIds: accepts an https URL instead', () => {
    const url = 'https://example.org/ids.txt?a=1,2';
    expect(tokenIdSource.parse(url)).toEqual({ url });
    expect(reasonOf('http://example.org/ids.txt')).toMatch(/comma separated/);
    expect(reasonOf(`https://example.org/${'x'.repeat(2_048)}`)).toMatch(/2048 characters/);
  });
});

describe('parseTokenIdLines', () => {
  it('parseTokenIdLines: returns the same for line breaks, commas, or both', () => {
    const separator = fc.constantFrom(',', '\n', '\r\n', '\n\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(item, separator), { minLength: 1, maxLength: 12 }), (items) => {
        const lines = items.map(([one, end], at) => one.text + (at < items.length - 1 ? end : '')).join('');
        const written = items.map(([one]) => one.text).join(',');
        expect(parseTokenIdLines(lines)).toEqual(parseTokenIds(written));
        expect(parseTokenIdLines(`${lines}\n`)).toEqual(parseTokenIds(written));
      }),
    );
  });

  it.each(['', '\n', '\r\n', '1,\n2', '1 \n2', '1\r2', '# ids\n1', '1\n-2', '<html>', '1\t', '\ufeff1'])(
    'parseTokenIdLines: rejects %j',
    (text) => {
      expect(parseTokenIdLines(text)).toMatch(/comma separated/);
    },
  );
});
