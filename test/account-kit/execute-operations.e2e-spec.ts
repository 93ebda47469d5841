import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem';
import {
  entryPoint07Abi,
  entryPoint08Abi,
  getUserOperationHash,
  getUserOperationTypedData,
  toPackedUserOperation,
  type UserOperation,
} from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { smartAccountAddress } from '../../apps/account-kit/src/evm/accounts/account-address.js';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { type AccountCall, encodeExecute } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import { demoAccounts } from '../../scripts/local/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/local/deploy-account-contracts.mjs';
import { root } from '../../scripts/local/project.mjs';
import { LocalChain } from '../support/local-chain.js';

const FACTORY = parseAbi(['function createAccount(address owner, uint256 salt)']);
const FUNDS = 10n ** 18n;

let chain: LocalChain;

beforeAll(async () => {
  chain = await LocalChain.start();
  await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts: await demoAccounts() });
});

afterAll(() => chain.stop());

/** Sends the calls as the first operation of a new account, at no fee: the executor pays for it all. */
async function execute(version: AccountVersion, calls: readonly AccountCall[]): Promise<Hex> {
  const owner = privateKeyToAccount(generatePrivateKey());
  const { entryPoint, factory } = ACCOUNT_CONTRACTS[version];
  const sender = smartAccountAddress({ owner: owner.address, salt: 0n, version });
  await chain.setNativeBalance(sender, FUNDS);
  const userOperation: UserOperation<'0.8'> = {
    sender,
    nonce: 0n,
    factory,
    factoryData: encodeFunctionData({
      abi: FACTORY,
      functionName: 'createAccount',
      args: [owner.address, 0n],
    }),
    callData: encodeExecute(version, calls),
    callGasLimit: 300_000n,
    verificationGasLimit: 600_000n,
    preVerificationGas: 50_000n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    signature: '0x',
  };
  const facts = { chainId: chain.chainId, entryPointAddress: entryPoint, userOperation };
  const signature =
    version === '0.8'
      ? await owner.signTypedData(getUserOperationTypedData(facts))
      : await owner.signMessage({
          message: { raw: getUserOperationHash({ ...facts, entryPointVersion: '0.7' }) },
        });
  const hash = await chain.client.writeContract({
    address: entryPoint,
    abi: version === '0.8' ? entryPoint08Abi : entryPoint07Abi,
    functionName: 'handleOps',
    args: [[toPackedUserOperation({ ...userOperation, signature })], chain.client.account.address],
  });
  const { status } = await chain.client.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  return sender;
}

describe.each(['0.7', '0.8'] as const)('an account of version %s', (version) => {
  const recipients: Address[] = [
    '0x00000000000000000000000000000000000a11ce',
    '0x0000000000000000000000000000000000000b0b',
  ];
  const balances = () => Promise.all(recipients.map((address) => chain.client.getBalance({ address })));

  it.each([1, 2])('makes %i calls in one operation without fees', async (count) => {
    await Promise.all(recipients.map((address) => chain.setNativeBalance(address, 0n)));
    const values = [3n, 5n].slice(0, count);
    const calls = values.map((value, index) => ({
      target: recipients[index] ?? '0x',
      value,
      data: '0x' as const,
    }));
    const sender = await execute(version, calls);
    expect(await balances()).toEqual([3n, count === 2 ? 5n : 0n]);
    expect(await chain.client.getBalance({ address: sender })).toBe(FUNDS - values.reduce((a, b) => a + b));
  });
});
