import { z } from 'zod';

/** Both ends belong to it. */
export interface TokenIdRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** A set of token ids: ascending ranges that neither touch nor overlap, of `count` ids in all. */
export interface TokenIds {
  readonly ranges: readonly TokenIdRange[];
  readonly count: number;
}

/** Token ids of one rule, and items of its list. */
export const MOST_TOKEN_IDS = 10_000;

const MAX_UINT256 = (1n << 256n) - 1n;
const ITEM = /^(\d{1,78})(?:-(\d{1,78}))?$/;
const GRAMMAR = 'must be token ids and ranges, comma separated without spaces, such as 1,2,42-69';
const TOO_MANY = `names more than ${MOST_TOKEN_IDS} token ids`;

/**
 * `1,2,42-69`, read as a set: ids that are named twice count once, leading zeros mean nothing. Nothing is expanded
 * here, so that `0-9999…` costs no more than any other text.
 */
export const tokenIds = z
  .string('is required: ids and ranges, such as 1,2,42-69')
  .transform((text, context): TokenIds => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    if (text.startsWith('https://')) return refuse('as the URL of a list is not supported yet');
    const items = text.split(',', MOST_TOKEN_IDS + 1);
    if (items.length > MOST_TOKEN_IDS) return refuse(TOO_MANY);

    const ranges: TokenIdRange[] = [];
    for (const item of items) {
      const [, first, last = first] = ITEM.exec(item) ?? [];
      if (first === undefined || last === undefined) return refuse(GRAMMAR);
      const range = { from: BigInt(first), to: BigInt(last) };
      if (range.from > range.to) return refuse(`has a range that ends before it starts: ${item}`);
      if (range.to > MAX_UINT256) return refuse('has an id above 2^256 - 1');
      ranges.push(range);
    }

    const merged = mergeRanges(ranges);
    const count = merged.reduce((sum, { from, to }) => sum + (to - from + 1n), 0n);
    if (count > BigInt(MOST_TOKEN_IDS)) return refuse(TOO_MANY);
    return { ranges: merged, count: Number(count) };
  });

function mergeRanges(ranges: TokenIdRange[]): TokenIdRange[] {
  ranges.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const merged: TokenIdRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (!last || range.from > last.to + 1n) merged.push(range);
    else if (range.to > last.to) merged[merged.length - 1] = { from: last.from, to: range.to };
  }
  return merged;
}

/** The ids one by one, ascending. */
export function* eachTokenId({ ranges }: TokenIds): Generator<bigint> {
  for (const { from, to } of ranges) for (let id = from; id <= to; id += 1n) yield id;
}
