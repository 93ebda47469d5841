import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, BaseError, ContractFunctionRevertedError, parseAbi } from 'viem';
import {
  encodeMint,
  getMintedTokenAddress,
  MINT_SUPPLY,
  type MintedToken,
} from '../../apps/account-kit/src/mint/encode-mint.js';
import { LocalChain } from '../support/local-chain.js';

const TOKEN = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidReceiver(address receiver)',
]);
const RECIPIENT: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const OTHER: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let chain: LocalChain;

beforeAll(async () => {
  chain = await LocalChain.start();
});

afterAll(() => chain.stop());

let operations = 0;
const createToken = (change: Partial<MintedToken> = {}): MintedToken => ({
  name: 'Demo',
  symbol: 'DMO',
  recipient: RECIPIENT,
  operationId: `operation-${(operations += 1)}`,
  ...change,
});

async function mint(token: MintedToken): Promise<Address> {
  const { target, value, data } = encodeMint(token);
  const hash = await chain.client.sendTransaction({ to: target, value, data });
  const { status } = await chain.client.waitForTransactionReceipt({ hash });
  expect(status).toBe('success');
  return getMintedTokenAddress(token);
}

async function send(address: Address, functionName: 'approve' | 'transferFrom', args: readonly unknown[]) {
  await chain.send({ address, abi: TOKEN }, functionName, args);
}

/** The name of the ERC-6093 error with which a call of the deployer would revert. */
async function findRevertReason(
  address: Address,
  functionName: 'transfer' | 'transferFrom',
  args: readonly unknown[],
): Promise<string | undefined> {
  try {
    await chain.client.simulateContract({ address, abi: TOKEN, functionName, args: args as never });
    return undefined;
  } catch (error) {
    if (!(error instanceof BaseError)) throw error;
    const reverted = error.walk((cause) => cause instanceof ContractFunctionRevertedError);
    return reverted instanceof ContractFunctionRevertedError ? reverted.data?.errorName : undefined;
  }
}

describe('a minted token', () => {
  it.each([
    ['Demo', 'DMO'],
    ['Ærlig 蜂蜜 🐝 – a name that takes more than one word of memory', '🐝🐝🐝🐝'],
  ])('minted token: %s is where it was said to be, and belongs to its recipient', async (name, symbol) => {
    const address = await mint(createToken({ name, symbol }));
    const contract = { address, abi: TOKEN } as const;
    expect(await chain.client.readContract({ ...contract, functionName: 'name' })).toBe(name);
    expect(await chain.client.readContract({ ...contract, functionName: 'symbol' })).toBe(symbol);
    expect(await chain.client.readContract({ ...contract, functionName: 'decimals' })).toBe(18);
    const supply = 1_000_000_000_000_000_000_000_000_000n;
    expect(MINT_SUPPLY).toBe(supply);
    expect(await chain.client.readContract({ ...contract, functionName: 'totalSupply' })).toBe(supply);
    const holding = await chain.client.readContract({
      ...contract,
      functionName: 'balanceOf',
      args: [RECIPIENT],
    });
    expect(holding).toBe(supply);
  });

  it('minted token: has an address of its own for each operation', () => {
    const [first, second] = [createToken(), createToken()];
    expect(getMintedTokenAddress(first)).not.toBe(getMintedTokenAddress(second));
    expect(getMintedTokenAddress(first)).toBe(getMintedTokenAddress({ ...first }));
    expect(getMintedTokenAddress({ ...first, recipient: OTHER })).not.toBe(getMintedTokenAddress(first));
  });

  it('minted token: moves as its holder and allowances say', async () => {
    const deployer = chain.client.account.address;
    const address = await mint(createToken({ recipient: deployer }));
    const balanceOf = (account: Address) =>
      chain.client.readContract({ address, abi: TOKEN, functionName: 'balanceOf', args: [account] });
    const allowance = () =>
      chain.client.readContract({
        address,
        abi: TOKEN,
        functionName: 'allowance',
        args: [deployer, deployer],
      });

    expect(await findRevertReason(address, 'transferFrom', [deployer, OTHER, 1n])).toBe(
      'ERC20InsufficientAllowance',
    );
    await send(address, 'approve', [deployer, 10n]);
    await send(address, 'transferFrom', [deployer, OTHER, 4n]);
    expect([await balanceOf(OTHER), await balanceOf(deployer)]).toEqual([4n, MINT_SUPPLY - 4n]);
    expect(await allowance()).toBe(6n);

    await send(address, 'approve', [deployer, 2n ** 256n - 1n]);
    await send(address, 'transferFrom', [deployer, deployer, MINT_SUPPLY - 4n]);
    expect(await allowance()).toBe(2n ** 256n - 1n);
    expect(await balanceOf(deployer)).toBe(MINT_SUPPLY - 4n);
    expect(await findRevertReason(address, 'transfer', [OTHER, MINT_SUPPLY])).toBe(
      'ERC20InsufficientBalance',
    );
    expect(await findRevertReason(address, 'transfer', [`0x${'0'.repeat(40)}`, 1n])).toBe(
      'ERC20InvalidReceiver',
    );
  });
});
