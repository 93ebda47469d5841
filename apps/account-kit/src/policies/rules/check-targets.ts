import type { Address } from 'viem';
import { ACCOUNT_CONTRACTS, DETERMINISTIC_DEPLOYER } from '../../evm/accounts/account-contracts.js';
import { type AccountCall, toCallFields } from '../../evm/operations/encode-execute.js';
import { policyForbidden } from './policies.errors.js';

/** Contracts that smart accounts themselves are made of: a call could change an account's owner, deposit or nonces. */
const INFRASTRUCTURE = Object.values(ACCOUNT_CONTRACTS).flatMap(({ entryPoint, factory, implementation }) => [
  entryPoint,
  factory,
  implementation,
]);

/**
 * Refuses targets that no policy can allow (contract.md section 10).
 * @param own addresses of the account, the paymasters and the executors
 * @throws AppError 403 `policy_forbidden` that names the call
 */
export function checkTargets(calls: readonly AccountCall[], own: readonly Address[]): void {
  const forbidden = new Set([...INFRASTRUCTURE, DETERMINISTIC_DEPLOYER, ...own].map(toKey));
  calls.forEach((call, index) => {
    const { target } = call;
    if (forbidden.has(toKey(target)))
      throw policyForbidden(`call ${index} has the target ${target}, which is never allowed`, {
        path: toCallFields(call, index).target,
        message: 'is never allowed',
      });
  });
}

const toKey = (address: Address): string => address.toLowerCase();
