import { once } from 'node:events';
import type { ReadResult } from '@app/chain/evm';
import { QUERY_LIMIT_EXCEEDED } from '../../metadata/expressions/expression-failure.js';
import { RuleExpression } from '../../metadata/expressions/expression.service.js';
import type { LoadContext } from '../rule-type.js';
import type { RuleServices } from '../rule-services.js';
import type { Verdict } from '../verdict.js';
import type { HeldAmount, HeldTokens } from './held-tokens.js';
import type { TraitOutcome } from './judge-traits.js';

/** Documents of one rule that are fetched, or wait for their evaluation, at the same time. Bounds the memory. */
const MAX_DOCUMENTS_AT_ONCE = 4;

export interface TraitQuery {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface TraitLoad extends TraitQuery {
  readonly held: HeldTokens<HeldAmount>;
  /** By index of the token. */
  readonly uris: readonly ReadResult<string>[];
  readonly judge: (outcomes: readonly TraitOutcome[]) => Verdict;
}

/** Fetches metadata and evaluates the query over it, until the verdict is certain or the signal aborts. */
export async function loadTraits(
  { query, variables, held, uris, judge }: TraitLoad,
  { metadata, expressions }: Pick<RuleServices, 'metadata' | 'expressions'>,
  { signal, tenantId, fetchBudget: budget }: LoadContext,
): Promise<Verdict> {
  const expression = new RuleExpression(tenantId, query, variables);
  const outcomes: TraitOutcome[] = uris.map((uri) => (uri.ok ? undefined : uri));
  const stop = new AbortController();
  /** One evaluation after the other, because they share the time of the rule. */
  let evaluated: Promise<TraitOutcome> = Promise.resolve(undefined);

  const evaluate = async (uri: string, tokenId: bigint | undefined): Promise<TraitOutcome> => {
    if (expression.remainingMs <= 0) return QUERY_LIMIT_EXCEEDED;
    const document = await metadata.find(uri, { tenantId, tokenId, signal: stop.signal, budget });
    if (!document.ok) return document;
    evaluated = evaluated.then(() =>
      stop.signal.aborted ? undefined : expressions.matches(expression, document),
    );
    return evaluated;
  };

  const rest = held.tokens.entries();
  const run = async (): Promise<void> => {
    for (const [index, { id }] of rest) {
      const uri = uris[index];
      if (!uri?.ok) continue;
      const outcome = await evaluate(uri.value, id);
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
