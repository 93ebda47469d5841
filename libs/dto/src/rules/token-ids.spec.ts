import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eachTokenId, MOST_TOKEN_IDS, tokenIds } from './token-ids.js';

const expand = (text: string): bigint[] => [...eachTokenId(tokenIds.parse(text))];
const reasonOf = (text: string): string | undefined => tokenIds.safeParse(text).error?.issues[0]?.message;

const item = fc
  .tuple(fc.nat(200), fc.option(fc.nat(20), { nil: undefined }), fc.nat(3))
  .map(([from, length, zeros]) => ({
    text: `${'0'.repeat(zeros)}${from}${length === undefined ? '' : `-${from + length}`}`,
    ids: Array.from({ length: (length ?? 0) + 1 }, (_, at) => BigInt(from + at)),
  }));

describe('token ids', () => {
  it('are the set of what the items name, each once and ascending', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 12 }), (items) => {
        const naive = [...new Set(items.flatMap(({ ids }) => ids))].sort((a, b) => Number(a - b));
        const text = items.map((one) => one.text).join(',');
        expect(expand(text)).toEqual(naive);
        expect(tokenIds.parse(text).count).toBe(naive.length);
      }),
    );
  });

  it('keep every digit of long ids', () => {
    const id = 7n * 10n ** 76n + 771_769n;
    expect(expand(`${id},${id + 1n}-${id + 2n}`)).toEqual([id, id + 1n, id + 2n]);
    const last = (1n << 256n) - 1n;
    expect(expand(String(last))).toEqual([last]);
    expect(reasonOf(String(last + 1n))).toMatch(/above 2\^256/);
  });

  it('take leading zeros for nothing', () => {
    expect(expand('007,7,0')).toEqual([0n, 7n]);
  });

  it('are at most ten thousand, however they are written', () => {
    expect(expand(`1-${MOST_TOKEN_IDS}`)).toHaveLength(MOST_TOKEN_IDS);
    expect(expand('1-6000,4000-10000')).toHaveLength(MOST_TOKEN_IDS);
    expect(reasonOf(`0-${MOST_TOKEN_IDS}`)).toMatch(/more than 10000/);
    expect(reasonOf(`0-1${'0'.repeat(70)}`)).toMatch(/more than 10000/);
    expect(reasonOf(Array.from({ length: MOST_TOKEN_IDS + 1 }, () => '1').join(','))).toMatch(
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
  ])('are not %j', (text) => {
    expect(reasonOf(text)).toMatch(/comma separated without spaces/);
  });

  it('have no range that ends before it starts', () => {
    expect(reasonOf('90-30')).toMatch(/ends before it starts: 90-30/);
  });

  it('are not read from a URL yet', () => {
    expect(reasonOf('https://example.org/ids.txt')).toMatch(/not supported yet/);
  });
});
