import { createReadFailure, type ReadResult } from '@app/chain/evm';
import { createNftRead, createSingleUnitReads, type SolanaNft } from '@app/chain/solana';
import type { SolanaNftRule } from '@app/dto';
import { toBounds } from './bounds.js';
import { createReadPlan, createReadStep } from './create-read-plan.js';
import { judgeQuantity, type Quantity } from './judge-quantity.js';
import { MAX_ENUMERATED_TOKENS, RULE_READ_LIMIT_EXCEEDED } from './rounds/rule-read-limit-failure.js';
import type { RuleServices } from './rule-services.js';
import type { NextStep, RuleType } from './rule-type.js';
import { addUnread, type HeldTokens, type HeldAmount, limitTokens } from './traits/held-tokens.js';
import { judgeTraits } from './traits/judge-traits.js';
import { judgeUris } from './traits/trait-rule.js';
import type { Verdict } from './verdict.js';

/** One per token program. */
const LISTS_PER_OWNER = createSingleUnitReads('').length;
/** Each round doubles it, because few owners hold many. */
const FIRST_ROUND_NFTS = 100;

/** Counts the NFTs of the owners that match a key. A mint counts once, also when it moves while it is read. */
export const solanaNft: RuleType<SolanaNftRule> = {
  type: 'SOLANA_NFT',
  countReads: (_, addressCount) => addressCount * LISTS_PER_OWNER,
  planReads: (rule, owners, _, services) =>
    createReadPlan(owners.flatMap(createSingleUnitReads), (lists) => {
      const { mints, unread } = collectMints(lists);
      const candidates =
        rule.contractAddress === 'mint' ? rule.tokenId.filter((key) => mints.has(key)) : [...mints];
      return new NftCount(rule, candidates, services).continueWith([], unread);
    }),
};

/** @param lists null where an owner has too many token accounts */
function collectMints(lists: readonly ReadResult<readonly string[] | null>[]) {
  const mints = new Set<string>();
  let unread: Quantity['unread'];
  for (const list of lists) {
    if (list.ok && list.value !== null) for (const mint of list.value) mints.add(mint);
    else
      unread = { ...addUnread(unread, 0n, list.ok ? RULE_READ_LIMIT_EXCEEDED : list), maxAmount: undefined };
  }
  return { mints, unread };
}

/** Reads NFTs until the verdict is certain, at most 5,000. */
class NftCount {
  private readonly bounds;

  constructor(
    private readonly rule: SolanaNftRule,
    private readonly candidates: readonly string[],
    private readonly services: RuleServices,
  ) {
    this.bounds = toBounds(rule, 0);
  }

  /**
   * @param matching NFTs among the candidates that were read
   * @param unread what failed reads may hide
   * @param readCount how many candidates were read
   */
  continueWith(
    matching: readonly SolanaNft[],
    unread: Quantity['unread'],
    readCount = 0,
    roundSize = FIRST_ROUND_NFTS,
  ): Verdict | NextStep {
    const rest = this.candidates.length - readCount;
    const held: HeldTokens<HeldAmount> = {
      tokens: matching.map(() => ({ amount: 1n })),
      unread: rest > 0 ? addUnread(unread, BigInt(rest), RULE_READ_LIMIT_EXCEEDED) : unread,
    };
    const verdict = this.judge(held);
    if (verdict.kind !== 'undetermined') return verdict;
    const mints = this.candidates.slice(readCount, Math.min(readCount + roundSize, MAX_ENUMERATED_TOKENS));
    if (mints.length === 0) return this.judgeMetadata(matching, held, verdict);
    return createReadStep(mints.map(createNftRead), (nfts) => {
      let failed = unread;
      const found = [...matching];
      for (const nft of nfts)
        if (!nft.ok) failed = addUnread(failed, 1n, nft);
        else if (nft.value && this.matches(nft.value)) found.push(nft.value);
      return this.continueWith(found, failed, readCount + mints.length, roundSize * 2);
    });
  }

  private judge(held: HeldTokens<HeldAmount>): Verdict {
    return this.rule.query === undefined
      ? judgeQuantity({ known: BigInt(held.tokens.length), unread: held.unread }, this.bounds)
      : judgeTraits(limitTokens(held), [], this.bounds);
  }

  private judgeMetadata(
    matching: readonly SolanaNft[],
    held: HeldTokens<HeldAmount>,
    verdict: Verdict,
  ): Verdict | NextStep {
    const { query, variables = {} } = this.rule;
    if (query === undefined || matching.length === 0) return verdict;
    const limited = limitTokens(held);
    const uris = matching.slice(0, limited.tokens.length).map(({ uri }) => toUriResult(uri));
    return judgeUris({ query, variables, bounds: this.bounds }, limited, uris, this.services);
  }

  private matches({ mint, collection, creators }: SolanaNft): boolean {
    const { contractAddress: filter, tokenId: keys } = this.rule;
    switch (filter) {
      case 'mint':
        return keys.includes(mint);
      case 'collection':
        return collection !== undefined && keys.includes(collection);
      case 'creators':
        return creators.some((creator) => keys.includes(creator));
    }
  }
}

const toUriResult = (uri: string | undefined): ReadResult<string> =>
  uri === undefined ? createReadFailure('no_contract', 'the mint has no metadata') : { ok: true, value: uri };
