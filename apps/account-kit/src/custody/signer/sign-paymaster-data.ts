import { SECOND_MS } from '@app/common';
import type { Address } from 'viem';
import { hexToBytes } from 'viem/utils';
import {
  encodePaymasterData,
  hashForPaymaster,
  SPONSORSHIP_SECONDS,
} from '../../evm/operations/paymaster-data.js';
import type { PaymasterKeys } from '../../evm/paymaster.config.js';
import { createEvmKey } from '../create-evm-key.js';
import { type DeploymentRules, judgeOperation } from './judge-stored.js';
import { type OperationToSignLoader, toUserOperationFields } from './load-operation-to-sign.js';
import { FROZEN, RefusedToSignError } from '../key-vault.errors.js';
import type { SignedPaymasterData } from './signer-messages.js';
import { checkAccount } from './sign-user-operation.js';

/**
 * Signs that a paymaster pays for a stored operation from now on for `SPONSORSHIP_SECONDS`. What was signed before stays.
 * @throws RefusedToSignError unless the row is `accepted`, names the paymaster of its chain and EntryPoint, fits its account and is what the
 *   policy of now allows, and sponsors
 */
export async function signPaymasterData(
  load: OperationToSignLoader,
  {
    paymasters: { key, byChain, services },
    executors,
    rules,
    operationId,
  }: {
    readonly paymasters: PaymasterKeys;
    readonly executors: readonly Address[];
    readonly rules: DeploymentRules;
    readonly operationId: string;
  },
): Promise<SignedPaymasterData> {
  const row = await load(operationId);
  if (!row) throw new RefusedToSignError('there is no such operation');
  const { state, chainId, version, paymaster, paymasterData, validUntil: stored } = row;
  // Another process was faster.
  if (paymasterData !== null && stored !== null)
    return { validUntil: stored.getTime() / SECOND_MS, paymasterData };
  if (state !== 'accepted') throw new RefusedToSignError(`the operation is ${state}`);
  if (row.isFrozen) throw new RefusedToSignError(FROZEN);
  const configured = byChain.get(chainId)?.find((one) => one.version === version);
  if (services.has(chainId)) throw new RefusedToSignError('the paymaster has a service of its own');
  if (key === undefined || paymaster === null || configured?.address !== paymaster)
    throw new RefusedToSignError('the operation has another paymaster than its chain');
  // The key of the account is not opened for this: what it signs is compared with it later.
  checkAccount(row, row.signerAddress);
  judgeOperation(row, rules, [...(byChain.get(chainId) ?? []).map(({ address }) => address), ...executors]);
  const validUntil = Math.floor(Date.now() / SECOND_MS) + SPONSORSHIP_SECONDS;
  const hash = hashForPaymaster(toUserOperationFields(row), { chainId, paymaster, validUntil });
  const signature = await createEvmKey(hexToBytes(key)).signMessage({ message: { raw: hash } });
  return { validUntil, paymasterData: encodePaymasterData(validUntil, signature) };
}
