import { createReadFailure, type ReadResult } from '@app/chain/evm';
import type { Erc721Rule, EvmAddress } from '@app/dto';
import type { ContractKind } from './contract-kinds.service.js';
import { createReadStep } from './create-read-plan.js';
import type { RuleServices } from './rule-services.js';
import type { NextStep, ReadPlan, ReadValue } from './rule-type.js';
import { toUndetermined, type Verdict } from './verdict.js';

/** The contract is not what the type of the rule says. Same shape as ReadFailure. */
export interface ContractKindFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'rule_not_supported';
  readonly message: string;
}

const createFailure = (message: string): ContractKindFailure =>
  Object.freeze({ ok: false, permanent: true, code: 'rule_not_supported', message });

const ERC20 = createFailure(
  'the contract is a token with decimals, as ERC-20, and not a collection of ERC-721: use a rule of type ERC20',
);
const ERC1155 = createFailure(
  'the contract is a collection of ERC-1155, and not of ERC-721: use a rule of type ERC1155 with tokenId',
);
const NO_OWNER_OF = createReadFailure(
  'reverted',
  'the contract does not tell who owns a token: its ownerOf reverts as a function that does not exist, and it does not claim ERC-721',
);

type CheckedRule = Pick<Erc721Rule, 'chainId' | 'contractAddress'>;
type Owners = readonly ReadResult<EvmAddress | null>[];

/** Why the contract is no collection of ERC-721. Hybrids of both standards have decimals and ids, so ids say what is meant. */
export function findKindFailure(
  { hasDecimals, claimsErc721, claimsErc1155 }: ContractKind,
  hasTokenId: boolean,
): ContractKindFailure | undefined {
  if (claimsErc721.ok && !claimsErc721.value && claimsErc1155) return ERC1155;
  return hasDecimals && !hasTokenId ? ERC20 : undefined;
}

/**
 * Judges the plan only for a contract that may be a collection of ERC-721.
 * @param hasTokenId whether its reads are of owners
 */
export function checkCollection(
  rule: CheckedRule,
  hasTokenId: boolean,
  plan: ReadPlan,
  { contractKinds }: Pick<RuleServices, 'contractKinds'>,
): ReadPlan {
  const { chainId, contractAddress } = rule;
  const judgeAs = (kind: ContractKind, outcomes: readonly ReadResult<ReadValue>[], isReused: boolean) => {
    const failure = findKindFailure(kind, hasTokenId);
    if (failure) return toUndetermined(failure);
    return plan.judge(hasTokenId ? explainOwners(outcomes as Owners, kind) : outcomes, isReused);
  };
  return {
    ...plan,
    judge: (outcomes, isReused = false): Verdict | NextStep => {
      const known = contractKinds.find(chainId, contractAddress);
      if (known) return judgeAs(known, outcomes, isReused);
      // Further reads would only take longer to fail where nothing answers.
      if (!outcomes.some(isAnswered)) return plan.judge(outcomes, isReused);
      return createReadStep(contractKinds.createReads(contractAddress), (results) =>
        judgeAs(contractKinds.record(chainId, contractAddress, results), outcomes, isReused),
      );
    },
  };
}

const isAnswered = (result: ReadResult<ReadValue>): boolean => result.ok || result.code === 'reverted';

const explained = new WeakMap<
  Owners,
  { readonly claims: ContractKind['claimsErc721']; readonly owners: Owners }
>();

/**
 * The owners, where ownerOf reverted without data or for want of the function: no owner in a collection that claims ERC-721, else unknown. Keeps the list for
 * further members, because its index is found by the list.
 */
export function explainOwners(
  owners: Owners,
  { claimsErc721: claims }: Pick<ContractKind, 'claimsErc721'>,
): Owners {
  if (!owners.some(isBareRevert)) return owners;
  const known = explained.get(owners);
  if (known?.claims === claims) return known.owners;
  const result = owners.map((owner) => (isBareRevert(owner) ? toOwner(claims) : owner));
  explained.set(owners, { claims, owners: result });
  return result;
}

/** Reverts with a reason are read as no owner. */
const isBareRevert = (owner: ReadResult<EvmAddress | null>): boolean =>
  !owner.ok && owner.code === 'reverted';

function toOwner(claims: ContractKind['claimsErc721']): ReadResult<EvmAddress | null> {
  if (!claims.ok) return claims;
  return claims.value ? { ok: true, value: null } : NO_OWNER_OF;
}
