import { type ContractRead, type ReadResult, toLargeTextRead } from '@app/chain/evm';
import type { Bounds } from '../judge-quantity.js';
import { createReadStep } from '../create-read-plan.js';
import type { NextStep } from '../rule-type.js';
import type { RuleServices } from '../rule-services.js';
import type { Verdict } from '../verdict.js';
import { type HeldAmount, type HeldTokens, limitTokens } from './held-tokens.js';
import { judgeTraits } from './judge-traits.js';
import { loadTraits, mayBeLong, type LongUris, type TraitQuery } from './load-traits.js';

interface UriRule extends TraitQuery {
  readonly bounds: Bounds;
  /** How URIs that are too long for a batch are read; undefined where none are. */
  readonly longUris?: LongUris;
}

export interface TraitRule extends UriRule {
  readonly chainId: number;
  readonly createUriRead: (tokenId: bigint) => ContractRead<string>;
}

type TraitServices = Pick<RuleServices, 'chains' | 'metadata' | 'expressions'>;

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
  const { chainId, createUriRead } = rule;
  const longUris: LongUris = {
    chainId,
    createRead: (index) => toLargeTextRead(createUriRead(limited.tokens[index]?.id ?? 0n)),
  };
  return createReadStep(reads, (uris) => judgeUris({ ...rule, longUris }, limited, uris, services));
}

/** Judges tokens whose URIs are known. @param uris one per token */
export function judgeUris(
  { bounds, longUris, ...query }: UriRule,
  held: HeldTokens<HeldAmount>,
  uris: readonly ReadResult<string>[],
  services: TraitServices,
): Verdict | NextStep {
  const isLoaded = (uri: ReadResult<string>) => uri.ok || (longUris !== undefined && mayBeLong(uri));
  const outcomes = uris.map((uri) => (uri.ok || isLoaded(uri) ? undefined : uri));
  const verdict = judgeTraits(held, outcomes, bounds);
  if (verdict.kind !== 'undetermined' || !uris.some(isLoaded)) return verdict;
  return {
    kind: 'load',
    load: (context) =>
      loadTraits(
        { ...query, held, uris, longUris, judge: (known) => judgeTraits(held, known, bounds) },
        services,
        context,
      ),
  };
}
