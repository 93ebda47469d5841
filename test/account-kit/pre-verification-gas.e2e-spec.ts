import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Address, type Hex, parseAbi, parseEventLogs } from 'viem';
import { entryPoint08Abi } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { bytesToHex, encodeFunctionData } from 'viem/utils';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { estimatePreVerificationGas } from '../../apps/account-kit/src/evm/estimation/estimate-pre-verification-gas.js';
import { LEAST_EXECUTED_GAS } from '../../apps/account-kit/src/evm/estimation/gas-costs.js';
import { type AccountCall, encodeExecute } from '../../apps/account-kit/src/evm/operations/encode-execute.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { root } from '../../scripts/build/project.mjs';
import { LocalChain } from '../support/local-chain.js';
import { SmartAccountOwner } from './smart-account-owner.js';

const VERSIONS = ['0.7', '0.8'] as const;
const NO_CODE: Address = '0x00000000000000000000000000000000000A11cE';
const ETHER = 10n ** 18n;
const FEES = { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n };
/** What a call to an account without code may use; version 0.7 charges a tenth of what is not used. */
const CALL_GAS = { callGasLimit: 30_000n, verificationGasLimit: 100_000n };
const DEPOSIT = parseAbi(['function depositTo(address account) payable']);

let chain: LocalChain;
const executor = privateKeyToAccount(generatePrivateKey());

beforeAll(async () => {
  chain = await LocalChain.start();
  await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts: await demoAccounts() });
  await chain.setNativeBalance(executor.address, 1_000n * ETHER);
});

afterAll(() => chain.stop());

/** Sends operations in one transaction of the executor, at the fees of the operations. */
async function handle(version: AccountVersion, ...operations: SignedUserOperation[]) {
  const before = await chain.client.getBalance({ address: executor.address });
  const hash = await chain.client.sendTransaction({
    account: executor,
    to: ACCOUNT_CONTRACTS[version].entryPoint,
    data: encodeHandleOps(version, operations, executor.address),
    gas: 16_000_000n,
    ...FEES,
  });
  const { logs, gasUsed, status } = await chain.client.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  const events = parseEventLogs({ abi: entryPoint08Abi, logs, eventName: 'UserOperationEvent' });
  return {
    gasUsed,
    operationGas: events.map(({ args }) => args.actualGasUsed),
    paid: events.reduce((sum, { args }) => sum + args.actualGasCost, 0n),
    gain: (await chain.client.getBalance({ address: executor.address })) - before,
  };
}

/** The owner of a deployed account, which pays from its deposit or else from its balance. */
async function deployedOwner(version: AccountVersion, { hasDeposit }: { hasDeposit: boolean }) {
  const owner = new SmartAccountOwner(version, chain.chainId);
  await chain.setNativeBalance(owner.address, 100n * ETHER);
  const { operation } = await owner.sign([call('0x')], FEES);
  await handle(version, operation);
  if (hasDeposit) {
    const data = encodeFunctionData({ abi: DEPOSIT, functionName: 'depositTo', args: [owner.address] });
    const hash = await chain.client.sendTransaction({
      to: ACCOUNT_CONTRACTS[version].entryPoint,
      value: 100n * ETHER,
      data,
    });
    await chain.client.waitForTransactionReceipt({ hash });
  }
  return owner;
}

const call = (data: Hex): AccountCall => ({ target: NO_CODE, value: 0n, data });

async function signPriced(owner: SmartAccountOwner, data: Hex, sequence: bigint) {
  const calls = [call(data)];
  const preVerificationGas = estimatePreVerificationGas(owner.version, [encodeExecute(owner.version, calls)]);
  // Memory for the call data costs execution gas; the margin is that of estimates.
  const callGasLimit = 60_000n + BigInt(data.length);
  const { operation } = await owner.sign(calls, {
    ...{ sequence, deploys: false, preVerificationGas, callGasLimit, verificationGasLimit: 100_000n },
    ...FEES,
  });
  return operation;
}

const randomBytes = (length: number): Hex =>
  bytesToHex(Uint8Array.from({ length }, (_, index) => 1 + ((index * 37) % 255)));

it.each(VERSIONS)(
  'LEAST_EXECUTED_GAS: is at most what the least operation of version %s uses, alone and behind another one',
  async (version) => {
    const measured: bigint[] = [];
    for (const hasDeposit of [true, false]) {
      const owner = await deployedOwner(version, { hasDeposit });
      const sign = async (sequence: bigint) =>
        (await owner.sign([call('0x')], { sequence, ...CALL_GAS, ...FEES, preVerificationGas: 0n }))
          .operation;
      const alone = await handle(version, await sign(1n));
      const [first = 0n, second = 0n] = (await handle(version, await sign(2n), await sign(3n))).operationGas;
      // The second one brings the 21,000 of a transaction of its own along.
      measured.push(...alone.operationGas, first, second + 21_000n);
    }
    const least = measured.reduce((a, b) => (a < b ? a : b));
    expect(LEAST_EXECUTED_GAS[version]).toBeLessThanOrEqual(least);
    expect(LEAST_EXECUTED_GAS[version]).toBeGreaterThan((least * 95n) / 100n);
  },
);

it.each(VERSIONS)(
  'estimatePreVerificationGas: an operation of version %s with 32 KiB for an account without code costs its executor at most 1 %',
  async (version) => {
    const owner = await deployedOwner(version, { hasDeposit: true });
    const result = await handle(version, await signPriced(owner, randomBytes(32 * 1024), 1n));
    expect(result.gain * 100n).toBeGreaterThanOrEqual(-result.paid);
    expect(result.gain * 10n).toBeLessThan(result.paid);
  },
);

it('estimatePreVerificationGas: no bundle of operations with any call data costs its executor more than 1 %', async () => {
  const owners = {
    '0.7': await deployedOwner('0.7', { hasDeposit: true }),
    '0.8': await deployedOwner('0.8', { hasDeposit: true }),
  };
  const sequences = { '0.7': 1n, '0.8': 1n };
  const content = fc
    .record({ length: fc.nat(20_000), zeros: fc.integer({ min: 0, max: 100 }) })
    .map(({ length, zeros }) =>
      bytesToHex(
        Uint8Array.from({ length }, (_, index) => ((index * 61) % 100 < zeros ? 0 : 1 + (index % 255))),
      ),
    );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...VERSIONS),
      fc.array(content, { minLength: 1, maxLength: 4 }),
      async (version, contents) => {
        const operations = [];
        for (const data of contents) {
          operations.push(await signPriced(owners[version], data, sequences[version]));
          sequences[version] += 1n;
        }
        const { gain, paid } = await handle(version, ...operations);
        expect(gain * 100n).toBeGreaterThanOrEqual(-paid);
      },
    ),
    { numRuns: 60 },
  );
});
