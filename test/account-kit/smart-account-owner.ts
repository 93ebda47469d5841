import { randomInt } from 'node:crypto';
import type { Address, Hex, LocalAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { getUserOperationTypedData } from 'viem/account-abstraction';
import { size } from 'viem/utils';
import {
  smartAccountAddress,
  encodeCreateAccount,
} from '../../apps/account-kit/src/evm/accounts/account-address.js';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { type AccountCall, encodeExecute } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import { hashUserOperation } from '../../apps/account-kit/src/evm/operations/hash-user-operation.js';
import {
  packNonce,
  type SignedUserOperation,
  type UserOperationFields,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';

const GAS = { callGasLimit: 300_000n, verificationGasLimit: 200_000n };
/** The gas of an operation that deploys its account. */
const DEPLOYMENT_GAS = { ...GAS, verificationGasLimit: 600_000n };

const GWEI = 10n ** 9n;
/** anvil starts with a base fee of 1 gwei, lowers it with every block that is not full, and suggests a tip of 1 gwei. */
export const OPERATION_FEES = { maxFeePerGas: 4n * GWEI, maxPriorityFeePerGas: GWEI };
/** The gas of a transaction with one operation beside its validation and its call, EIP-7623's floor included. */
const OVERHEAD_GAS = 80_000n;
/** EIP-7623: the most that a byte of call data costs. */
const BYTE_GAS = 40n;

/** The owner of one smart account, which signs without the service. Its operations pay for their transaction unless `fields` say otherwise. */
export class SmartAccountOwner {
  readonly ownerAddress: Address;
  readonly address: Address;

  constructor(
    readonly version: AccountVersion,
    private readonly chainId: number,
    private readonly account: LocalAccount = privateKeyToAccount(generatePrivateKey()),
    /** The id of the user on the chat platform. */
    readonly userId = String(randomInt(1, 2 ** 47)),
  ) {
    this.ownerAddress = account.address;
    this.address = smartAccountAddress({ owner: this.ownerAddress, salt: 0n, version });
  }

  async sign(
    calls: readonly AccountCall[],
    { sequence = 0n, key = 0n, deploys = sequence === 0n, ...fields }: SignOptions = {},
  ): Promise<{ operation: SignedUserOperation; hash: Hex }> {
    const callData = encodeExecute(this.version, calls);
    const operation: UserOperationFields = {
      sender: this.address,
      nonce: packNonce({ key, sequence }),
      ...(deploys ? encodeCreateAccount({ owner: this.ownerAddress, salt: 0n, version: this.version }) : {}),
      callData,
      ...(deploys ? DEPLOYMENT_GAS : GAS),
      preVerificationGas: OVERHEAD_GAS + BigInt(size(callData)) * BYTE_GAS,
      ...OPERATION_FEES,
      ...fields,
    };
    const hash = hashUserOperation(this.version, this.chainId, operation);
    const signature =
      this.version === '0.8'
        ? await this.account.signTypedData(
            getUserOperationTypedData({
              chainId: this.chainId,
              entryPointAddress: ACCOUNT_CONTRACTS['0.8'].entryPoint,
              userOperation: { ...operation, signature: '0x' },
            }),
          )
        : await this.account.signMessage({ message: { raw: hash } });
    return { operation: { ...operation, signature }, hash };
  }
}

type SignOptions = Partial<UserOperationFields> & {
  readonly sequence?: bigint;
  readonly key?: bigint;
  readonly deploys?: boolean;
};
