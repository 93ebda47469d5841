import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { root } from '../../scripts/build/project.mjs';
import { getAddress } from 'viem';
import { deploySafe } from '../../scripts/chain/deploy-safe.mjs';
import type { SolanaNode } from '../support/solana-node.js';
import { DEVNET_CAIP_2, DOWN_CHAIN, startAssetWorld } from './asset-world.js';
import type { Answer } from './gating-app.js';
import type { RolesWorld } from './roles-world.js';

const DEVNET = 8_000_000_000_103;
const NOBODY = '0x00000000000000000000000000000000000000aa';

let world: RolesWorld;
let cluster: SolanaNode;
let mint: Address;

beforeAll(async () => {
  ({ world, cluster, mint } = await startAssetWorld(1n));
});

afterAll(async () => {
  await world.stop();
  await cluster.stop();
});

const get = (path: string): Promise<Answer> => world.gating.request('GET', path);
const readToken = (contractAddress: string, chainId: number = world.chainId): Promise<Answer> =>
  get(`/tokens?chainId=${chainId}&contractAddress=${contractAddress}`);
const deploy = async (name: string, args: readonly unknown[] = []): Promise<string> =>
  (await world.gated.chain.deploy(name, args)).address;

describe('GET /chains', () => {
  it('GET /chains: lists the chains that have a node, of both families', async () => {
    const { status, body } = await get('/chains');
    expect(status).toBe(200);
    const { chains } = body as { chains: { chainId: number }[] };
    expect(chains).toContainEqual({
      ...{
        chainId: world.chainId,
        name: expect.any(String),
        family: 'evm',
        caip2: `eip155:${world.chainId}`,
      },
      ...{ nativeSymbol: 'ETH', nativeDecimals: 18 },
    });
    expect(chains.at(-1)).toEqual({
      ...{ chainId: DEVNET, name: 'Solana Devnet', family: 'solana', caip2: DEVNET_CAIP_2 },
      ...{ nativeSymbol: 'SOL', nativeDecimals: 9 },
    });
    expect(chains.map(({ chainId }) => chainId)).toEqual([DOWN_CHAIN, world.chainId, DEVNET]);
  });
});

describe('GET /rule-types', () => {
  interface ListedType {
    readonly type: string;
    readonly available: boolean;
    readonly families: string[];
    readonly fields: { name: string; required: boolean; type: string; values?: string[] }[];
  }

  const list = async (): Promise<ListedType[]> =>
    ((await get('/rule-types')).body as { ruleTypes: ListedType[] }).ruleTypes;

  it('GET /rule-types: says of each type which fields it reads, and needs', async () => {
    const types = new Map((await list()).map((ruleType) => [ruleType.type, ruleType]));
    const fields = (type: string) =>
      types
        .get(type)
        ?.fields.map(({ name }) => name)
        .sort();
    const required = (type: string) =>
      types.get(type)?.fields.flatMap(({ name, required }) => (required ? [name] : []));
    expect(fields('NATIVE')).toEqual(['chainId', 'maxToken', 'minToken', 'roleId']);
    expect(fields('ERC721')).toContain('requiresMetadata');
    expect(required('ERC721')).toEqual(['chainId', 'contractAddress']);
    expect(required('SOLANA_NFT')).toEqual(['chainId', 'contractAddress', 'tokenId']);
    expect(required('POAP')).toEqual(['eventId']);
    const filter = types.get('SOLANA_NFT')?.fields.find(({ name }) => name === 'contractAddress');
    expect(filter?.values).toEqual(['creators', 'collection', 'mint']);
  });

  it('GET /rule-types: names no field that a rule of the type is refused for', async () => {
    const refused: string[] = [];
    for (const { type, fields } of await list())
      for (const { name } of fields) {
        const rule = { type, [name]: name === 'contractAddress' ? NOBODY : '1' };
        const { body } = await world.gating.check({ account: NOBODY, rules: [rule] });
        if (JSON.stringify(body).includes('is not a restriction of')) refused.push(`${type} ${name}`);
      }
    expect(refused).toEqual([]);
  });

  it('GET /rule-types: says which types this deployment cannot check', async () => {
    const unavailable = (await list()).flatMap(({ type, available }) => (available ? [] : [type]));
    expect(unavailable).toEqual(['OPEN_SEA']);
  });
});

describe('GET /tokens', () => {
  it('GET /tokens: reads name, symbol, decimals and standard of a token', async () => {
    const { status, body } = await readToken(world.token.address.toLowerCase());
    expect([status, body]).toEqual([
      200,
      {
        ...{
          chainId: world.chainId,
          contractAddress: getAddress(world.token.address),
          name: 'Demo',
          symbol: 'DEMO',
        },
        ...{ decimals: 18, standards: ['ERC20'], ruleTypes: ['ERC20'] },
      },
    ]);
  });

  it('GET /tokens: tells NFTs, several kinds of tokens, Safes and other contracts apart', async () => {
    const { chain } = world.gated;
    const safe = await deploySafe({
      ...{ rpcUrl: chain.rpcUrl, root, from: chain.client.account.address },
      owners: [chain.client.account.address],
    });
    const standards = await Promise.all(
      [
        await deploy('DemoERC721', ['Demo', 'NFT']),
        await deploy('DemoERC1155'),
        safe,
        await deploy('Reverting', [0, 'no']),
        await deploy('Garbage', ['0x1234']),
        await deploy('GasBurner'),
        await deploy('Flooder', [3_000_000n, false]),
      ].map(async (address) => {
        const { standards, ruleTypes } = (await readToken(address)).body as Record<string, unknown>;
        return [standards, ruleTypes];
      }),
    );
    expect(standards).toEqual([
      [['ERC721'], ['ERC721']],
      [['ERC1155'], ['ERC1155']],
      [['Safe'], ['gnosis']],
      [[], []],
      [[], []],
      [[], []],
      [[], []],
    ]);
  });

  it('GET /tokens: reads a mint of Solana', async () => {
    expect((await readToken(mint, DEVNET)).body).toEqual({
      ...{ chainId: DEVNET, contractAddress: mint, decimals: 6 },
      ...{ standards: ['SPL'], ruleTypes: ['SOLANA_FT'] },
    });
  });

  it('GET /tokens: answers 404 where nothing is', async () => {
    const { address } = await generateKeyPairSigner();
    const answers = [await readToken(NOBODY), await readToken(address, DEVNET)];
    expect(answers).toMatchObject(
      answers.map(() => ({ status: 404, body: { error: { details: { code: 'contract_not_found' } } } })),
    );
  });

  it('GET /tokens: answers 503 while the node is away, and no guess', async () => {
    expect(await readToken(world.token.address, DOWN_CHAIN)).toMatchObject({
      status: 503,
      body: { error: { details: { code: 'contract_unavailable' } } },
    });
  });

  it.each([
    ['a chain without a node', 5, NOBODY, 'chainId'],
    ['an EVM address on Solana', DEVNET, NOBODY, 'contractAddress'],
    ['a wrong checksum', 1, '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'contractAddress'],
    ['half an address', 1, '0x12', 'contractAddress'],
  ])('GET /tokens: refuses %s, and names the field', async (_, chainId, address, field) => {
    const { status, body } = await readToken(address, chainId);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { details: { issues: [{ path: field }] } } });
  });
});
