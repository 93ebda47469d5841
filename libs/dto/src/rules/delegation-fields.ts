import { z } from 'zod';
import { evmAddress } from './evm-address.js';
import { DELEGATION_SERVICES, MAX_VAULTS, type RuleFields } from './rule-fields.js';
import type { RuleTypeName } from './rule-types.js';

const TYPES_WITH_DELEGATIONS: readonly RuleTypeName[] = ['ERC20', 'ERC721', 'ERC1155'];

/** Fields of rules that also count what wallets hold which have delegated themselves to the account. */
export const delegationFields = {
  delegations: z.enum(DELEGATION_SERVICES).optional(),
  vaults: z.array(evmAddress).min(1).max(MAX_VAULTS).optional(),
};

/** A rule that counts delegations, if its `delegations` says so. */
export interface DelegatingRule {
  readonly delegations?: (typeof DELEGATION_SERVICES)[number] | undefined;
  readonly vaults?: readonly z.output<typeof evmAddress>[] | undefined;
}

/** The field about delegations that the type of the rule would ignore, and why. */
export function findDelegationProblem({ type, delegations, vaults }: RuleFields) {
  if (delegations !== undefined && type !== undefined && !TYPES_WITH_DELEGATIONS.includes(type))
    return {
      field: 'delegations',
      message: `is not read by ${type} rules, but by those of type ${TYPES_WITH_DELEGATIONS.join(', ')}: leave it out`,
    } as const;
  if (vaults !== undefined && delegations === undefined)
    return { field: 'vaults', message: 'has no effect without delegations' } as const;
  return undefined;
}
