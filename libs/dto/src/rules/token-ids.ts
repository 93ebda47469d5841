import { z } from 'zod';

/** Includes both ends. */
interface TokenIdRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** A set of token ids: ascending ranges that neither touch nor overlap, with `count` ids in all. */
export interface TokenIds {
  readonly ranges: readonly TokenIdRange[];
  readonly count: number;
}

/** Maximum ids of one rule, and items of its text. */
export const MAX_TOKEN_IDS = 10_000;

const MAX_UINT256 = (1n << 256n) - 1n;
const ITEM = /^(\d{1,78})(?:-(\d{1,78}))?$/;
const GRAMMAR = 'must be token ids and ranges, comma separated without spaces, such as 1,2,42-69';
const TOO_MANY = `names more than ${MAX_TOKEN_IDS} token ids`;

/**
 * Parses text such as `1,2,42-69` to a set, or returns an error message. Ranges are not expanded, so that `0-9999…` costs
 * no more than any other text.
 */
export function parseTokenIds(text: string): TokenIds | string {
  const items = text.split(',', MAX_TOKEN_IDS + 1);
  if (items.length > MAX_TOKEN_IDS) return TOO_MANY;

  const ranges: TokenIdRange[] = [];
  for (const item of items) {
    const [, first, last = first] = ITEM.exec(item) ?? [];
    if (first === undefined || last === undefined) return GRAMMAR;
    const range = { from: BigInt(first), to: BigInt(last) };
    if (range.from > range.to) return `has a range that ends before it starts: ${item}`;
    if (range.to > MAX_UINT256) return 'has an id above 2^256 - 1';
    ranges.push(range);
  }

  const merged = mergeRanges(ranges);
  const count = merged.reduce((sum, { from, to }) => sum + (to - from + 1n), 0n);
  if (count > BigInt(MAX_TOKEN_IDS)) return TOO_MANY;
  return { ranges: merged, count: Number(count) };
}

/** Parses the text of a token list: lines of the same grammar, ignoring empty lines. */
export function parseTokenIdLines(text: string): TokenIds | string {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  return parseTokenIds(lines.join(','));
}

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

/** Yields the ids in ascending order. */
export function* iterateTokenIds({ ranges }: TokenIds): Generator<bigint> {
  for (const { from, to } of ranges) for (let id = from; id <= to; id += 1n) yield id;
}

/** The URL of a token list: plain text in the grammar of `tokenId`, separated by commas or line breaks. */
export interface TokenIdList {
  readonly url: string;
}

export type TokenIdSource = TokenIds | TokenIdList;

export const isTokenIdList = (source: TokenIdSource): source is TokenIdList => 'url' in source;

const MAX_URL_LENGTH = 2_048;

/** The `tokenId` of a rule: ids and ranges, or the https URL of a token list. */
export const tokenIdSource = z
  .string('is required: ids and ranges, such as 1,2,42-69, or the https URL of a list')
  .transform((text, context): TokenIdSource => {
    const source = parseTokenIdSource(text);
    if (typeof source !== 'string') return source;
    context.addIssue({ code: 'custom', message: source });
    return z.NEVER;
  });

function parseTokenIdSource(text: string): TokenIdSource | string {
  if (!text.startsWith('https://')) return parseTokenIds(text);
  return text.length > MAX_URL_LENGTH
    ? `must be at most ${MAX_URL_LENGTH} characters long as a URL`
    : { url: text };
}
