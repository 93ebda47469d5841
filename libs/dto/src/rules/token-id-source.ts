import { z } from 'zod';
import { parseTokenIds, type TokenIds } from './token-ids.js';

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
