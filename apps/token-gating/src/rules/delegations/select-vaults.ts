import type { Delegation } from '@app/chain/evm';
import { MAX_VAULTS, type EvmAddress } from '@app/dto';

/** Whose delegations these are, and what they must allow. */
export interface VaultCriteria {
  /** The addresses of the subject, in lower case: none of these is its vault. */
  readonly own: readonly string[];
  /** The contract of the rule. */
  readonly contract: EvmAddress;
}

/** What is known of the vaults of a subject. */
export interface KnownVaults {
  /** The delegations of the inboxes that were read, each to the address whose inbox it was in. */
  readonly delegations: readonly { readonly address: string; readonly delegation: Delegation }[];
  /** Vaults that were asked by name, for the addresses whose inbox was not read. */
  readonly confirmed: readonly string[];
  /** Vaults that were named. */
  readonly named: readonly string[];
  /** Whether an inbox was not read, because it is too long. */
  readonly hasUnreadInbox: boolean;
}

export interface SelectedVaults {
  /** Distinct addresses in lower case, at most MAX_VAULTS. */
  readonly vaults: readonly string[];
  /** The same, and the ones that are too many. */
  readonly all: readonly string[];
  /** Whether there may be others that count. */
  readonly isComplete: boolean;
}

/** Whether a vault has given the address all that the rule asks for: everything, or everything about its contract. */
export const isFull = (
  { type, delegate, contract, hasRights }: Delegation,
  address: string,
  wanted: EvmAddress,
): boolean =>
  !hasRights && delegate === address && (type === 'all' || (type === 'contract' && contract === wanted));

/**
 * The vaults that count for a subject. Delegations are filtered before they are counted, so that those of other contracts and with
 * rights hide none. A vault's own delegations are not followed. Of more than MAX_VAULTS only those count that are named.
 */
export function selectVaults(
  { delegations, confirmed, named, hasUnreadInbox }: KnownVaults,
  { own, contract }: VaultCriteria,
): SelectedVaults {
  const delegated = new Set<string>();
  for (const { address, delegation } of delegations)
    if (isFull(delegation, address, contract)) delegated.add(delegation.vault);
  const others = (vaults: Iterable<string>) => [...new Set(vaults)].filter((vault) => !own.includes(vault));
  const all = others([...delegated, ...confirmed]);
  if (all.length <= MAX_VAULTS) return { vaults: all, all, isComplete: !hasUnreadInbox };
  const known = new Set([...named.filter((vault) => delegated.has(vault)), ...confirmed]);
  return { vaults: others(known).slice(0, MAX_VAULTS), all, isComplete: false };
}
