import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hex, hexToBytes, serializeTransaction, keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { ActionRunnerService } from '../../apps/account-kit/src/actions/action-runner.service.js';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { decodeFailedOp } from '../../apps/account-kit/src/evm/operations/decode-failed-op.js';
import {
  encodeHandleOps,
  type SignedUserOperation,
} from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { createKeyRoot, deriveAccountKey } from '../../apps/account-kit/src/custody/derive-account-key.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { root } from '../../scripts/build/project.mjs';
import { LocalChain } from '../support/local-chain.js';
import { SmartAccountOwner } from './smart-account-owner.js';

const worker = 'dist/bundles/account-kit/assets/apps/account-kit/src/actions/action.worker.js';
/** The start has time for a busy machine. */
const runner = new ActionRunnerService(pathToFileURL(join(root, worker)), 30_000);

const derived = deriveAccountKey(createKeyRoot(Buffer.alloc(32, 7)), {
  curve: 'secp256k1',
  purpose: 'action',
  platform: 'chat',
  userId: '42',
  network: '',
});
const actionKey = privateKeyToAccount(`0x${derived.toString('hex')}`);

let chain: LocalChain;

beforeAll(async () => {
  chain = await LocalChain.start();
  await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts: await demoAccounts() });
});

afterAll(async () => {
  runner.onApplicationShutdown();
  await chain.stop();
});

/** What an action gets that asks for a signature of these bytes. */
async function signInAction(bytes: Hex): Promise<Hex> {
  const program = {
    source: 'export default await sign(new Uint8Array(params.bytes))',
    params: JSON.stringify({ bytes: [...hexToBytes(bytes)] }),
  };
  const outcome = await runner.run('client', program, (message) =>
    actionKey.signMessage({ message: { raw: message } }),
  );
  if (outcome.outcome !== 'finished') throw new Error(JSON.stringify(outcome));
  return JSON.parse(outcome.json) as Hex;
}

describe.each(['0.7', '0.8'] as const)('an account of version %s', (version) => {
  const { entryPoint } = ACCOUNT_CONTRACTS[version];
  const simulate = (operation: SignedUserOperation) =>
    chain.client.call({
      to: entryPoint,
      data: encodeHandleOps(version, [operation], chain.client.account.address),
    });

  it('smart account: is not opened by the signature of its operation that an action gets', async () => {
    const owner = new SmartAccountOwner(version, chain.chainId);
    await chain.setNativeBalance(owner.address, 10n ** 18n);
    const { operation, hash } = await owner.sign([{ target: owner.ownerAddress, value: 0n, data: '0x' }]);
    await expect(simulate(operation)).resolves.toBeDefined();
    const signature = await signInAction(hash);
    const refusal: unknown = await simulate({ ...operation, signature }).catch((error: unknown) => error);
    expect(decodeFailedOp(refusal)).toMatchObject({ reason: expect.stringMatching(/^AA24 /) });
  });
});

describe('the key of custom actions', () => {
  it('key of custom actions: signs no transaction of its own, whatever bytes it is given', async () => {
    const transaction = {
      chainId: chain.chainId,
      to: actionKey.address,
      value: 1n,
      nonce: 0,
      gas: 21_000n,
    } as const;
    const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n, type: 'eip1559' } as const;
    await chain.setNativeBalance(actionKey.address, 10n ** 18n);
    const unsigned = serializeTransaction({ ...transaction, ...fees });
    const send = async (signature: Hex) => {
      const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)];
      const parts = { r: `0x${r}`, s: `0x${s}`, yParity: v === '1b' ? 0 : 1 } as const;
      const raw = serializeTransaction({ ...transaction, ...fees }, parts);
      return chain.client.sendRawTransaction({ serializedTransaction: raw });
    };
    for (const bytes of [unsigned, keccak256(unsigned)])
      await send(await signInAction(bytes)).catch(() => undefined);
    expect(await chain.client.getTransactionCount({ address: actionKey.address })).toBe(0);
    const hash = await send(await actionKey.sign({ hash: keccak256(unsigned) }));
    await chain.client.waitForTransactionReceipt({ hash });
    expect(await chain.client.getTransactionCount({ address: actionKey.address })).toBe(1);
  });
});
