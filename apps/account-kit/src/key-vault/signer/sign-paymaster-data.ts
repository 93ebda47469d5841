import { SECOND_MS } from '@app/common';
import { hexToBytes } from 'viem/utils';
import {
  encodePaymasterData,
  hashForPaymaster,
  SPONSORSHIP_SECONDS,
} from '../../evm/operations/paymaster-data.js';
import type { PaymasterKeys } from '../../evm/paymasters/paymaster.config.js';
import { createEvmKey } from '../create-evm-key.js';
import type { OperationToSignLoader } from './load-operation-to-sign.js';
import { FROZEN, RefusedToSignError } from './refused-to-sign.error.js';
import type { SignedPaymasterData } from './signer-messages.js';
import { toUserOperationFields } from './to-user-operation-fields.js';

/**
 * Signs that a paymaster pays for a stored operation from now on for `SPONSORSHIP_SECONDS`. What was signed before stays.
 * @throws RefusedToSignError unless the row is `accepted` and names the paymaster of its chain and EntryPoint
 */
export async function signPaymasterData(
  load: OperationToSignLoader,
  { key, byChain, services }: PaymasterKeys,
  operationId: string,
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
  const validUntil = Math.floor(Date.now() / SECOND_MS) + SPONSORSHIP_SECONDS;
  const hash = hashForPaymaster(toUserOperationFields(row), { chainId, paymaster, validUntil });
  const signature = await createEvmKey(hexToBytes(key)).signMessage({ message: { raw: hash } });
  return { validUntil, paymasterData: encodePaymasterData(validUntil, signature) };
}
