import type { Queryable } from '@app/database';
import { ACCOUNT_SALT, smartAccountAddress } from '../../evm/accounts/account-address.js';
import { encodeCreateAccount } from '../../evm/accounts/encode-create-account.js';
import { hashUserOperation } from '../../evm/operations/hash-user-operation.js';
import { packNonce, type UserOperationFields } from '../../evm/operations/user-operation.js';
import type { AccountKeyring } from '../stored-keys/account-keyring.js';
import { loadOperationToSign, type OperationToSign } from './load-operation-to-sign.js';
import { RefusedToSignError } from './refused-to-sign.error.js';
import type { OperationSignature } from './signer-messages.js';

/**
 * Signs a stored operation with the key of its account. An operation that is signed already keeps its signature.
 * @throws RefusedToSignError unless the row is `accepted` and fits its account
 */
export async function signUserOperation(
  db: Queryable,
  keyring: AccountKeyring,
  operationId: string,
): Promise<OperationSignature> {
  const row = await loadOperationToSign(db, operationId);
  if (!row) throw new RefusedToSignError('there is no such operation');
  if (row.hash !== null && row.signature !== null) return { hash: row.hash, signature: row.signature };
  if (row.state !== 'accepted') throw new RefusedToSignError(`the operation is ${row.state}`);
  const owner = await keyring.openEvmKey(row, 'account');
  checkAccount(row, owner.address);
  const userOperation = toFields(row);
  const hash = hashUserOperation(row.version, row.chainId, userOperation);
  // EntryPoint 0.7 has a plain hash, which wallets sign as a message (ERC-191); 0.8 has typed data (EIP-712).
  const signature =
    row.version === '0.7' ? await owner.signMessage({ message: { raw: hash } }) : await owner.sign({ hash });
  return { hash, signature };
}

function checkAccount(row: OperationToSign, owner: string): void {
  const { signerAddress, evmAddress, sender, version, accountVersion } = row;
  if (signerAddress !== owner) throw new RefusedToSignError('the account has another signer');
  const address = smartAccountAddress({ owner: signerAddress, salt: ACCOUNT_SALT, version });
  if (version !== accountVersion || sender !== evmAddress || evmAddress !== address)
    throw new RefusedToSignError('the operation is not of its account');
}

function toFields(row: OperationToSign): UserOperationFields {
  const { sender, callData, signerAddress: owner, version, paymaster } = row;
  return {
    sender,
    nonce: packNonce({ key: row.nonceKey, sequence: row.nonceSequence }),
    ...(row.deploysAccount ? encodeCreateAccount({ owner, salt: ACCOUNT_SALT, version }) : {}),
    callData,
    callGasLimit: row.callGasLimit,
    verificationGasLimit: row.verificationGasLimit,
    preVerificationGas: row.preVerificationGas,
    maxFeePerGas: row.maxFeePerGas,
    maxPriorityFeePerGas: row.maxPriorityFeePerGas,
    ...(paymaster === null
      ? {}
      : {
          paymaster,
          paymasterVerificationGasLimit: row.paymasterVerificationGasLimit ?? 0n,
          paymasterPostOpGasLimit: row.paymasterPostOpGasLimit ?? 0n,
          paymasterData: row.paymasterData ?? '0x',
        }),
  };
}
