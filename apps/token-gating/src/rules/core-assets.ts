import { createCoreAssetsRead, type SolanaNft } from '@app/chain/solana';
import { createReadStep } from './create-read-plan.js';
import type { Quantity } from './judge-quantity.js';
import { RULE_READ_LIMIT_EXCEEDED } from './rounds/rule-read-limit-failure.js';
import type { RuleServices } from './rule-services.js';
import type { NextStep } from './rule-type.js';
import { addUnreadable } from './traits/held-tokens.js';
import type { RuleFailure, Verdict } from './verdict.js';

/** NFTs outside the token programs, as far as they were found. */
export interface CoreAssets {
  readonly nfts: readonly SolanaNft[];
  readonly unread: Quantity['unread'];
}

/** Finds assets of Metaplex Core, and compressed ones, as the deployment says. Undefined where they do not count. */
export function createCoreStep(
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
