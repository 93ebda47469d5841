import type { ReadResult } from '@app/chain/evm';
import type { ChainRead } from '../chains/chain.service.js';
import type { Bounds } from '../bounds.js';
import { createReadStep } from '../create-read-plan.js';
import type { NextStep } from '../rule-type.js';
import type { RuleServices } from '../rule-services.js';
import type { Verdict } from '../verdict.js';
import { type HeldAmount, type HeldTokens, limitTokens } from './held-tokens.js';
import { judgeTraits } from './judge-traits.js';
import { loadTraits, type TraitQuery } from './load-traits.js';

interface UriRule extends TraitQuery {
  readonly bounds: Bounds;
}

export interface TraitRule extends UriRule {
  readonly createUriRead: (tokenId: bigint) => ChainRead<string>;
}

type TraitServices = Pick<RuleServices, 'metadata' | 'expressions'>;

/** Judges what is held, and reads the URIs of the metadata only when they can change the verdict. */
export function judgeHeldTokens(
  rule: TraitRule,
  held: HeldTokens,
  services: TraitServices,
): Verdict | NextStep {
  const limited = limitTokens(held);
  const verdict = judgeTraits(limited, [], rule.bounds);
  if (verdict.kind !== 'undetermined' || limited.tokens.length === 0) return verdict;
  const reads = limited.tokens.map(({ id }) => rule.createUriRead(id));
  return createReadStep(reads, (uris) => judgeUris(rule, limited, uris, services));
}

/** Judges tokens whose URIs are known. @param uris one per token */
export function judgeUris(
  { bounds, ...query }: UriRule,
  held: HeldTokens<HeldAmount>,
  uris: readonly ReadResult<string>[],
  services: TraitServices,
): Verdict | NextStep {
  const outcomes = uris.map((uri) => (uri.ok ? undefined : uri));
  const verdict = judgeTraits(held, outcomes, bounds);
  if (verdict.kind !== 'undetermined' || !uris.some(({ ok }) => ok)) return verdict;
  return {
    kind: 'load',
    load: (context) =>
      loadTraits(
        { ...query, held, uris, judge: (known) => judgeTraits(held, known, bounds) },
        services,
        context,
      ),
  };
}
