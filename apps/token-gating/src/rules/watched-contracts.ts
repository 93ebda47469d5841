import { collectRules, type RoleRule } from '@app/dto';

/** A contract whose logs name the accounts that gain or lose what a rule asks for. */
export interface ContractOfRule {
  readonly chainId: number;
  /** The address in lower case. */
  readonly address: string;
}

/** The distinct contracts of rules that follow transfers: ERC-721, ERC-1155 and Safes. Members by other rules are polled (ADR 113). */
export function listWatchedContracts(rules: readonly RoleRule[]): ContractOfRule[] {
  const contracts = new Map<string, ContractOfRule>();
  for (const rule of collectRules(rules)) {
    if (rule.type !== 'ERC721' && rule.type !== 'ERC1155' && rule.type !== 'gnosis') continue;
    const address = rule.contractAddress.toLowerCase();
    contracts.set(`${rule.chainId} ${address}`, { chainId: rule.chainId, address });
  }
  return [...contracts.values()];
}
