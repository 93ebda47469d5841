import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, generateKeyPairSigner, lamports } from '@solana/kit';
import fc from 'fast-check';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { SolanaNode } from '../support/solana-node.js';
import { createMint, createPayer, writeTokenAccount } from '../support/solana-tokens.js';
import { GatingApp } from './gating-app.js';

const DEVNET = 8_000_000_000_103;
const DEVNET_CAIP_2 = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const DECIMALS = 6;
const HELD = 1_234_567n;
const EVM_ADDRESS = '0x00000000000000000000000000000000000000a1';

let cluster: SolanaCluster;
let node: SolanaNode;
let gating: GatingApp;
let mint: Address;
let owner: Address;

beforeAll(async () => {
  cluster = new SolanaCluster();
  node = await SolanaNode.start(cluster);
  const payer = await createPayer(cluster);
  mint = await createMint(cluster, payer, { decimals: DECIMALS });
  ({ address: owner } = await generateKeyPairSigner());
  await writeTokenAccount(cluster, { mint, owner, amount: HELD - 1n });
  await writeTokenAccount(cluster, { mint, owner, amount: 1n });
  cluster.svm.airdrop(owner, lamports(1_500_000_000n));
  gating = await GatingApp.start({
    [`RPC_URL_${DEVNET}`]: node.url,
    RPC_CACHE: 'off',
  });
});

afterAll(async () => {
  await gating.stop();
  await node.stop();
});

const token = (more: object = {}) => ({ type: 'SOLANA_FT', chainId: DEVNET, contractAddress: mint, ...more });
const coin = (more: object = {}) => ({ type: 'NATIVE', chainId: DEVNET, ...more });
const setBalance = (address: Address, balance: bigint): void => {
  const programAddress = '11111111111111111111111111111111' as Address;
  const account = { data: new Uint8Array(), executable: false, programAddress, space: 0n };
  cluster.svm.setAccount({ ...account, address, lamports: lamports(balance) });
};
const toDecimal = (units: bigint): string => {
  const digits = units.toString().padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
};

describe('rules about a Solana cluster', () => {
  it('rules about a Solana cluster: grant by the sum of all token accounts, to the unit', async () => {
    const granted = await gating.granted(
      owner,
      token({ minToken: toDecimal(HELD) }),
      token({ minToken: toDecimal(HELD + 1n) }),
      token({ minToken: '0', maxToken: toDecimal(HELD) }),
      token({ minToken: '0', maxToken: toDecimal(HELD - 1n) }),
    );
    expect(granted).toEqual([true, false, true, false]);
  });

  it('rules about a Solana cluster: grant as a comparison of integers does', async () => {
    const bound = fc.bigInt({ min: 0n, max: 2n * HELD });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(bound, bound), { minLength: 20, maxLength: 50 }), async (pairs) => {
        const ranges = pairs.map(([a, b]) => (a < b ? ([a, b] as const) : ([b, a] as const)));
        const rules = ranges.map(([min, max]) =>
          token({ minToken: toDecimal(min), maxToken: toDecimal(max) }),
        );
        expect(await gating.granted(owner, ...rules)).toEqual(
          ranges.map(([min, max]) => HELD >= min && HELD <= max),
        );
      }),
      { numRuns: 10 },
    );
  });

  it('rules about a Solana cluster: grant by SOL', async () => {
    expect(await gating.granted(owner, coin({ minToken: '1.5' }), coin({ minToken: '1.500000001' }))).toEqual(
      [true, false],
    );
  });

  it('rules about a Solana cluster: are an error above 2^53 - 1 lamports, which JSON numbers do not hold', async () => {
    const { address: rich } = await generateKeyPairSigner();
    setBalance(rich, BigInt(Number.MAX_SAFE_INTEGER));
    expect(await gating.granted(rich, coin({ minToken: '9007199.254740991' }))).toEqual([true]);
    setBalance(rich, BigInt(Number.MAX_SAFE_INTEGER) + 2n);
    expect(await gating.check({ account: rich, rules: [coin()] })).toMatchObject({
      status: 200,
      body: { roles: [{ granted: false }], errors: [{ name: 'MalformedAnswerError', retryable: false }] },
    });
  });

  it('rules about a Solana cluster: read CAIP-19 asset ids and CAIP-10 accounts', async () => {
    const assets = [`${DEVNET_CAIP_2}/token:${mint}`, `${DEVNET_CAIP_2}/slip44:501`];
    expect(await gating.granted(`${DEVNET_CAIP_2}:${owner}`, ...assets.map((asset) => ({ asset })))).toEqual([
      true,
      true,
    ]);
  });

  it('rules about a Solana cluster: grant nothing to an EVM account, and EVM rules nothing to a Solana account, without a read', async () => {
    const before = node.posts;
    expect(await gating.granted(EVM_ADDRESS, token({ minToken: '0' }), coin({ minToken: '0' }))).toEqual([
      false,
      false,
    ]);
    expect(node.posts).toBe(before);
  });

  it('rules about a Solana cluster: are refused by the field that is wrong', async () => {
    const refused = async (rule: object) => (await gating.check({ account: owner, rules: [rule] })).body;
    const issue = (path: string) => ({
      error: { details: { issues: [expect.objectContaining({ path })] } },
    });
    expect(await refused(token({ chainId: 1 }))).toMatchObject(issue('rules.0.chainId'));
    expect(await refused(token({ chainId: 8_000_000_000_101 }))).toMatchObject(issue('rules.0.chainId'));
    expect(await refused(token({ contractAddress: EVM_ADDRESS }))).toMatchObject(
      issue('rules.0.contractAddress'),
    );
    expect(await refused({ type: 'ERC20', chainId: DEVNET, contractAddress: EVM_ADDRESS })).toMatchObject(
      issue('rules.0.chainId'),
    );
    expect(
      await refused({ asset: `${DEVNET_CAIP_2}/token:${mint}`, contractAddress: mint.toLowerCase() }),
    ).toMatchObject(issue('rules.0.asset'));
  });

  it('rules about a Solana cluster: are an error beside the roles where the mint does not exist', async () => {
    const { status, body } = await gating.check({
      account: owner,
      rules: [token({ contractAddress: owner, roleId: 'a' }), token({ roleId: 'b' })],
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      roles: [
        { id: 'a', granted: false },
        { id: 'b', granted: true },
      ],
      errors: [{ roleId: 'a', rule: 0, name: 'NoContractError', retryable: false }],
    });
  });

  it.each<[string, () => void]>([
    [
      'is down',
      () => {
        node.behave = (_, response) => Boolean(response.destroy());
      },
    ],
    [
      'serves another cluster',
      () => {
        node.change = (response, { method }) =>
          method === 'getGenesisHash'
            ? { ...response, result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }
            : response;
      },
    ],
  ])(
    'rules about a Solana cluster: are undetermined, not denied, while the node %s',
    async (_, breakNode) => {
      breakNode();
      try {
        expect((await gating.check({ account: owner, rules: [token()] })).status).toBe(503);
      } finally {
        node.behave = () => false;
        node.change = (response) => response;
      }
    },
  );
});
