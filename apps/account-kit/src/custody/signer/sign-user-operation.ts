import { SECOND_MS } from '@app/common';
import type { Address } from 'viem';
import { ACCOUNT_SALT, smartAccountAddress } from '../../evm/accounts/account-address.js';
import { hashUserOperation } from '../../evm/operations/hash-user-operation.js';
import { MIN_SPONSORSHIP_SECONDS } from '../../evm/operations/paymaster-data.js';
import type { PaymasterKeys } from '../../evm/paymaster.config.js';
import type { AccountKeyring } from '../stored-keys/account-keyring.js';
import {
  type OperationToSign,
  type OperationToSignLoader,
  toUserOperationFields,
} from './load-operation-to-sign.js';
import { type DeploymentRules, judgeOperation } from './judge-stored.js';
import { FROZEN, RefusedToSignError } from '../key-vault.errors.js';
import type { OperationSignature } from './signer-messages.js';

/**
 * Signs a stored operation with the key of its account. An operation that is signed already keeps its signature.
 * @throws RefusedToSignError unless the row is `accepted`, fits its account and is what the policy of now allows
 */
export async function signUserOperation(
  load: OperationToSignLoader,
  {
    keyring,
    paymasters,
    executors,
    rules,
    operationId,
  }: {
    readonly keyring: AccountKeyring;
    readonly paymasters: PaymasterKeys;
    readonly executors: readonly Address[];
    readonly rules: DeploymentRules;
    readonly operationId: string;
  },
): Promise<OperationSignature> {
  const row = await load(operationId);
  if (!row) throw new RefusedToSignError('there is no such operation');
  if (row.hash !== null && row.signature !== null) return { hash: row.hash, signature: row.signature };
  if (row.state !== 'accepted') throw new RefusedToSignError(`the operation is ${row.state}`);
  if (row.isFrozen) throw new RefusedToSignError(FROZEN);
  const owner = await keyring.openEvmKey(row, 'account');
  checkAccount(row, owner.address);
  checkSponsor(row, paymasters);
  const sponsors = (paymasters.byChain.get(row.chainId) ?? []).map(({ address }) => address);
  judgeOperation(row, rules, [...sponsors, ...executors]);
  const userOperation = toUserOperationFields(row);
  const hash = hashUserOperation(row.version, row.chainId, userOperation);
  // EntryPoint 0.7 has a plain hash, which wallets sign as a message (ERC-191); 0.8 has typed data (EIP-712).
  const signature =
    row.version === '0.7' ? await owner.signMessage({ message: { raw: hash } }) : await owner.sign({ hash });
  return { hash, signature };
}

/** @param owner address of the key that the account has @throws RefusedToSignError unless the operation is of the account */
export function checkAccount(row: OperationToSign, owner: string): void {
  const { signerAddress, evmAddress, sender, version, accountVersion } = row;
  if (signerAddress !== owner) throw new RefusedToSignError('the account has another signer');
  const address = smartAccountAddress({ owner: signerAddress, salt: ACCOUNT_SALT, version });
  if (version !== accountVersion || sender !== evmAddress || evmAddress !== address)
    throw new RefusedToSignError('the operation is not of its account');
}

/** The signature of the sponsor is inside of the hash, so it comes first. */
function checkSponsor(row: OperationToSign, { byChain, services }: PaymasterKeys): void {
  const { paymaster, paymasterData, validUntil, chainId, version } = row;
  if (paymaster === null) return;
  if (byChain.get(chainId)?.find((one) => one.version === version)?.address !== paymaster)
    throw new RefusedToSignError('the operation has another paymaster than its chain');
  // A service may keep to itself when its data ends.
  if (paymasterData === null || (validUntil === null && !services.has(chainId)))
    throw new RefusedToSignError('the sponsor has not signed');
  if (validUntil !== null && validUntil.getTime() < Date.now() + MIN_SPONSORSHIP_SECONDS * SECOND_MS)
    throw new RefusedToSignError('the signature of the sponsor ends too soon');
}
