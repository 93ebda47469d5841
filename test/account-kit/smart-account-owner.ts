import { randomInt } from 'node:crypto';
import type { Address, Hex, LocalAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { getUserOperationTypedData } from 'viem/account-abstraction';
import { smartAccountAddress } from '../../apps/account-kit/src/evm/accounts/account-address.js';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { encodeCreateAccount } from '../../apps/account-kit/src/evm/accounts/encode-create-account.js';
import { type AccountCall, encodeExecute } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import { hashUserOperation } from '../../apps/account-kit/src/evm/operations/hash-user-operation.js';
import {
  packNonce,
  type SignedUserOperation,
  type UserOperationFields,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';

const GAS = { callGasLimit: 300_000n, verificationGasLimit: 200_000n, preVerificationGas: 50_000n };
/** For an operation that deploys its account. */
const DEPLOYMENT_GAS = { ...GAS, verificationGasLimit: 600_000n };

/** The owner of one smart account, which signs without the service. Its operations pay no fees unless `fields` say so. */
export class SmartAccountOwner {
  readonly ownerAddress: Address;
  readonly address: Address;

  constructor(
    readonly version: AccountVersion,
    private readonly chainId: number,
    private readonly account: LocalAccount = privateKeyToAccount(generatePrivateKey()),
    /** On the chat platform. */
    readonly userId = String(randomInt(1, 2 ** 47)),
  ) {
    this.ownerAddress = account.address;
    this.address = smartAccountAddress({ owner: this.ownerAddress, salt: 0n, version });
  }

  async sign(
    calls: readonly AccountCall[],
    { sequence = 0n, key = 0n, deploys = sequence === 0n, ...fields }: SignOptions = {},
  ): Promise<{ operation: SignedUserOperation; hash: Hex }> {
    const operation: UserOperationFields = {
      sender: this.address,
      nonce: packNonce({ key, sequence }),
      ...(deploys ? encodeCreateAccount({ owner: this.ownerAddress, salt: 0n, version: this.version }) : {}),
      callData: encodeExecute(this.version, calls),
      ...(deploys ? DEPLOYMENT_GAS : GAS),
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
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
