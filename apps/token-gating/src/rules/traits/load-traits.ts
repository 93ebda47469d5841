import { once } from 'node:events';
import type { ContractRead, ReadResult } from '@app/chain/evm';
import { QUERY_LIMIT_EXCEEDED } from '../../metadata/expressions/expression-failure.js';
import { RuleExpression } from '../../metadata/expressions/expression.service.js';
import type { MetadataResult } from '../../metadata/metadata-document.js';
import type { LoadContext } from '../rule-type.js';
import type { RuleServices } from '../rule-services.js';
import type { Verdict } from '../verdict.js';
import type { HeldAmount, HeldTokens } from './held-tokens.js';
import type { TraitOutcome } from './judge-traits.js';

/** Documents of one rule that are fetched, or wait for their evaluation, at the same time. Bounds the memory. */
const MAX_DOCUMENTS_AT_ONCE = 4;

/** How the URIs are read that were too long for a batch. */
export interface LongUris {
  readonly chainId: number;
  readonly createRead: (index: number) => ContractRead<string>;
}

/** Whether the URI may be too long for a read in a batch, which then answers that it is no text. */
export const mayBeLong = (uri: ReadResult<string>): boolean => !uri.ok && uri.code === 'malformed_answer';

export interface TraitQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface TraitLoad extends TraitQuery {
  readonly held: HeldTokens<HeldAmount>;
  /** URIs by index of the token. */
  readonly uris: readonly ReadResult<string>[];
  readonly longUris?: LongUris | undefined;
  readonly judge: (outcomes: readonly TraitOutcome[]) => Verdict;
}

/** Fetches metadata and evaluates the query over it, until the verdict is certain or the signal aborts. */
export async function loadTraits(
  { query, variables, held, uris, longUris, judge }: TraitLoad,
  { chains, metadata, expressions }: Pick<RuleServices, 'chains' | 'metadata' | 'expressions'>,
  { signal, tenantId, lane, fetchBudget: budget }: LoadContext,
): Promise<Verdict> {
  const expression = new RuleExpression(tenantId, query, variables);
  const isLong = (uri: ReadResult<string>) => longUris !== undefined && mayBeLong(uri);
  const outcomes: TraitOutcome[] = uris.map((uri) => (uri.ok || isLong(uri) ? undefined : uri));
  const stop = new AbortController();
  /** Evaluations run one after the other, because they share the time of the rule. */
  let evaluated: Promise<TraitOutcome> = Promise.resolve(undefined);

  const find = async (index: number, tokenId: bigint | undefined): Promise<MetadataResult | undefined> => {
    const uri = uris[index];
    const options = { tenantId, tokenId, signal: stop.signal, budget };
    if (uri?.ok) return metadata.find(uri.value, options);
    if (!uri || !longUris || !isLong(uri)) return undefined;
    const { chainId } = longUris;
    const read = longUris.createRead(index);
    return metadata.findLong(
      {
        key: `${chainId} ${read.to} ${read.data}`,
        lane,
        read: async () => {
          const [result] = await chains.read(chainId, [read], { tenantId, lane, signal: stop.signal });
          return result ?? uri;
        },
      },
      options,
    );
  };

  const evaluate = async (index: number, tokenId: bigint | undefined): Promise<TraitOutcome> => {
    if (expression.remainingMs <= 0) return QUERY_LIMIT_EXCEEDED;
    const document = await find(index, tokenId);
    if (!document) return outcomes[index];
    if (!document.ok) return document;
    evaluated = evaluated.then(() =>
      stop.signal.aborted ? undefined : expressions.matches(expression, document),
    );
    return evaluated;
  };

  const rest = held.tokens.entries();
  const run = async (): Promise<void> => {
    for (const [index, { id }] of rest) {
      if (outcomes[index] !== undefined) continue;
      const outcome = await evaluate(index, id);
      if (stop.signal.aborted) return;
      outcomes[index] = outcome;
      if (judge(outcomes).kind === 'undetermined') continue;
      stop.abort();
      return;
    }
  };

  const onAbort = (): void => {
    stop.abort();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const stopped = once(stop.signal, 'abort');
    if (signal.aborted) stop.abort();
    else await Promise.race([stopped, Promise.all(Array.from({ length: MAX_DOCUMENTS_AT_ONCE }, run))]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    stop.abort();
  }
  return judge(outcomes);
}
