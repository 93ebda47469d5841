import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAbi } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { smartAccountAddress } from '../../apps/account-kit/src/evm/accounts/account-address.js';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { root } from '../../scripts/build/project.mjs';
import { LocalChain } from '../support/local-chain.js';

const FACTORY = parseAbi([
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function accountImplementation() view returns (address)',
]);

let chain: LocalChain;
let contracts: Awaited<ReturnType<typeof deployAccountContracts>>;

async function deploy() {
  return deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts: await demoAccounts() });
}

beforeAll(async () => {
  chain = await LocalChain.start();
  contracts = await deploy();
});

afterAll(() => chain.stop());

describe('the contracts of smart accounts on the local chain', () => {
  it('contracts of smart accounts on the local chain: are at the addresses of public chains', () => {
    expect(contracts).toMatchObject({
      entryPoint07: ACCOUNT_CONTRACTS['0.7'].entryPoint,
      entryPoint08: ACCOUNT_CONTRACTS['0.8'].entryPoint,
      factory07: ACCOUNT_CONTRACTS['0.7'].factory,
      factory08: ACCOUNT_CONTRACTS['0.8'].factory,
    });
  });

  it('contracts of smart accounts on the local chain: stay when they are deployed again, with the one deposit of the paymaster', async () => {
    expect(await deploy()).toEqual(contracts);
    const deposit = await chain.client.readContract({
      address: contracts.entryPoint07,
      abi: parseAbi(['function balanceOf(address) view returns (uint256)']),
      functionName: 'balanceOf',
      args: [contracts.paymaster07],
    });
    expect(deposit).toBe(10n * 10n ** 18n);
  });

  it.each(['0.7', '0.8'] as const)(
    'contracts of smart accounts on the local chain: those of version %s give the addresses that this service computes',
    async (version) => {
      const { factory, implementation } = ACCOUNT_CONTRACTS[version];
      const deployed = { address: factory, abi: FACTORY } as const;
      expect(await chain.client.readContract({ ...deployed, functionName: 'accountImplementation' })).toBe(
        implementation,
      );
      for (const salt of [0n, 1n, 2n ** 64n, 2n ** 256n - 1n]) {
        const owner = privateKeyToAddress(generatePrivateKey());
        expect(smartAccountAddress({ owner, salt, version })).toBe(
          await chain.client.readContract({ ...deployed, functionName: 'getAddress', args: [owner, salt] }),
        );
      }
    },
  );
});
