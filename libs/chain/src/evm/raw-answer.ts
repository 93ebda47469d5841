import { type ReadFailure } from './read.js';
import { readFailure } from './read-failure.js';

/** What came of one call, before anybody says what it means. `data` is hex without 0x. */
export type RawAnswer =
  | { readonly kind: 'data'; readonly data: string; readonly blockNumber?: bigint }
  | { readonly kind: 'reverted'; readonly blockNumber?: bigint }
  | { readonly kind: 'failed'; readonly failure: ReadFailure };

/** Nothing is known: asking again later may help. */
export function unavailable(message: string): RawAnswer {
  return { kind: 'failed', failure: readFailure('unavailable', message) };
}
