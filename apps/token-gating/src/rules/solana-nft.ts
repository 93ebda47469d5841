import { createReadFailure, type ReadResult } from '@app/chain/evm';
import {
  createCoreAssetsRead,
  createNftRead,
  createSingleUnitReads,
  MAX_MINT_BYTES,
  type SolanaNft,
} from '@app/chain/solana';
import type { SolanaNftRule } from '@app/dto';
import { toBounds, judgeQuantity, type Quantity } from './judge-quantity.js';
import { createReadPlan, createReadStep } from './create-read-plan.js';
import { MAX_ENUMERATED_TOKENS, RULE_READ_LIMIT_EXCEEDED } from './rule-failures.js';
import type { RuleServices } from './rule-services.js';
import type { NextStep, RuleType } from './rule-type.js';
import {
  addUnread,
  addUnreadable,
  type HeldAmount,
  type HeldTokens,
  limitTokens,
} from './traits/held-tokens.js';
import { judgeTraits } from './traits/judge-traits.js';
import { judgeUris } from './traits/trait-rule.js';
import type { RuleFailure, Verdict } from './verdict.js';

/** NFTs outside the token programs, as far as they were found. */
interface CoreAssets {
  readonly nfts: readonly SolanaNft[];
  readonly unread: Quantity['unread'];
}

/** Finds assets of Metaplex Core, and compressed ones, as the deployment says. Undefined where they do not count. */
function createCoreStep(
  chainId: number,
  owners: readonly string[],
  { solanaCore, dasAssets }: Pick<RuleServices, 'solanaCore' | 'dasAssets'>,
  judge: (assets: CoreAssets) => Verdict | NextStep,
): NextStep | undefined {
  const source = solanaCore.sources.get(chainId);
  if (source === undefined) return undefined;
  if (source.mode === 'rpc')
    return createReadStep(owners.map(createCoreAssetsRead), (lists) =>
      judge(
        collect(
          lists.map((list) =>
            list.ok
              ? { nfts: list.value ?? [], failure: list.value ? undefined : RULE_READ_LIMIT_EXCEEDED }
              : { nfts: [], failure: list },
          ),
        ),
      ),
    );
  return {
    kind: 'load',
    load: async (context) => {
      const lists = await Promise.all(owners.map((owner) => dasAssets.list(source.url, owner, context)));
      return judge(
        collect(
          lists.map((list) =>
            'code' in list
              ? { nfts: [], failure: list }
              : { nfts: list.nfts, failure: list.isComplete ? undefined : RULE_READ_LIMIT_EXCEEDED },
          ),
        ),
      );
    },
  };
}

interface OwnedAssets {
  readonly nfts: readonly SolanaNft[];
  readonly failure: RuleFailure | undefined;
}

/** An asset that moves between two of the owners while it is read counts once. */
function collect(lists: readonly OwnedAssets[]): CoreAssets {
  const byAddress = new Map<string, SolanaNft>();
  let unread: Quantity['unread'];
  for (const { nfts, failure } of lists) {
    for (const nft of nfts) byAddress.set(nft.mint, nft);
    if (failure) unread = addUnreadable(unread, failure);
  }
  return { nfts: [...byAddress.values()], unread };
}

/** Lists per owner: an owner has one for each token program. */
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
      return new NftCount(rule, owners, candidates, services).continueWith({
        ...{ matching: [], unread, readCount: 0 },
        roundSize: FIRST_ROUND_NFTS,
        isCoreRead: false,
      });
    }),
};

/** @param lists null where an owner has too many token accounts */
function collectMints(lists: readonly ReadResult<readonly string[] | null>[]) {
  const mints = new Set<string>();
  let unread: Quantity['unread'];
  for (const list of lists) {
    if (list.ok && list.value !== null) for (const mint of list.value) mints.add(mint);
    else unread = addUnreadable(unread, list.ok ? RULE_READ_LIMIT_EXCEEDED : list);
  }
  return { mints, unread };
}

/** NFTs as far as they were read. */
interface Progress {
  readonly matching: readonly SolanaNft[];
  /** What failed reads may hide. */
  readonly unread: Quantity['unread'];
  /** How many candidates were read. */
  readonly readCount: number;
  readonly roundSize: number;
  readonly isCoreRead: boolean;
}

/** Reads NFTs until the verdict is certain: those of the token programs, at most 5,000, and then those of Core. */
class NftCount {
  private readonly bounds;

  constructor(
    private readonly rule: SolanaNftRule,
    private readonly owners: readonly string[],
    private readonly candidates: readonly string[],
    private readonly services: RuleServices,
  ) {
    this.bounds = toBounds(rule, 0);
  }

  continueWith(progress: Progress): Verdict | NextStep {
    const { matching, readCount, roundSize, isCoreRead } = progress;
    const coreStep = isCoreRead
      ? undefined
      : createCoreStep(this.rule.chainId, this.owners, this.services, ({ nfts, unread }) =>
          this.continueWith({
            ...progress,
            matching: addMatching(
              matching,
              nfts.filter((nft) => this.matches(nft)),
            ),
            unread: unread ? addUnreadable(progress.unread, unread.failure) : progress.unread,
            isCoreRead: true,
          }),
        );
    const held = this.toHeld(progress, coreStep !== undefined);
    const verdict = this.judge(held);
    if (verdict.kind !== 'undetermined') return verdict;
    const mints = this.candidates.slice(readCount, Math.min(readCount + roundSize, MAX_ENUMERATED_TOKENS));
    if (mints.length === 0) return coreStep ?? this.judgeMetadata(matching, held, verdict);
    return createReadStep(mints.map(createNftRead), (nfts) => {
      let { unread } = progress;
      const found = [...matching];
      for (const nft of nfts)
        if (!nft.ok) unread = addUnread(unread, 1n, nft);
        else if (nft.value && this.matches(nft.value)) found.push(nft.value);
      return this.continueWith({
        ...progress,
        ...{ matching: found, unread },
        readCount: readCount + mints.length,
        roundSize: roundSize * 2,
      });
    });
  }

  private toHeld({ matching, unread, readCount }: Progress, isCoreUnread: boolean): HeldTokens<HeldAmount> {
    const rest = this.candidates.length - readCount;
    const withRest = rest > 0 ? addUnread(unread, BigInt(rest), RULE_READ_LIMIT_EXCEEDED) : unread;
    return {
      tokens: matching.map(() => ({ amount: 1n })),
      unread: isCoreUnread ? addUnreadable(withRest, RULE_READ_LIMIT_EXCEEDED) : withRest,
    };
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
    const uris = matching.slice(0, limited.tokens.length).map(toUriResult);
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

/** An indexer may still list a compressed asset that is a token by now, whose mint has the same address: it counts once. */
function addMatching(matching: readonly SolanaNft[], more: readonly SolanaNft[]): SolanaNft[] {
  const known = new Set(matching.map(({ mint }) => mint));
  return [...matching, ...more.filter(({ mint }) => !known.has(mint))];
}

function toUriResult({ uri, isUriTooFar }: SolanaNft): ReadResult<string> {
  if (uri !== undefined) return { ok: true, value: uri };
  return isUriTooFar === true
    ? createReadFailure(
        'malformed_answer',
        `the mint has its metadata beyond its first ${MAX_MINT_BYTES} bytes`,
      )
    : createReadFailure('no_contract', 'the mint has no metadata');
}
