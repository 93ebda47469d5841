import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { privateKeyToAddress } from 'viem/accounts';
import { deploySafe } from '../../scripts/local/deploy-safe.mjs';
import { root } from '../../scripts/local/project.mjs';
import { deployerKey, LocalChain } from '../support/local-chain.js';
import { GatingApp } from './gating-app.js';

const OWNERS = [`0x${'a1'.repeat(20)}`, `0x${'a2'.repeat(20)}`];
const STRANGER = `0x${'b1'.repeat(20)}`;
/** A chain whose node is down. */
const DOWN_CHAIN = 1;

let chain: LocalChain;
let gating: GatingApp;

beforeAll(async () => {
  chain = await LocalChain.start();
  gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    [`RPC_URL_${DOWN_CHAIN}`]: 'http://127.0.0.1:9',
    RPC_TIMEOUT_MS: '1000',
  });
}, 60_000);

afterAll(async () => {
  await gating.stop();
  await chain.stop();
});

describe('a rule about the owners of a Safe', () => {
  let safe: string;

  beforeAll(async () => {
    safe = await deploySafe({
      rpcUrl: chain.rpcUrl,
      root,
      from: privateKeyToAddress(deployerKey),
      owners: OWNERS,
    });
  });

  const forms = () => [
    { scheme: 'gnosis', asset: `eip155:${chain.chainId}/safe:${safe}` },
    { scheme: 'gnosis', asset: `evm:${chain.chainId}/gnosis:${safe}` },
    { asset: `evm:${chain.chainId}/gnosis:${safe}` },
    { asset: `eip155:${chain.chainId}/safe:${safe}` },
    { scheme: 'gnosis', chainId: chain.chainId, contractAddress: safe },
    { type: 'gnosis', chainId: chain.chainId, contractAddress: safe, minToken: '5', maxToken: '2' },
  ];

  it('is granted to each owner and to no other, in each form', async () => {
    for (const owner of OWNERS)
      expect(await gating.granted(owner, ...forms())).toEqual(forms().map(() => true));
    expect(await gating.granted(STRANGER, ...forms())).toEqual(forms().map(() => false));
  });

  it('is not granted to the Safe itself, nor to the sentinel of its list of owners', async () => {
    for (const account of [safe, `0x${'0'.repeat(39)}1`, `0x${'0'.repeat(40)}`])
      expect(await gating.granted(account, ...forms().slice(0, 1))).toEqual([false]);
  });

  it('is an error beside the roles where there is no Safe', async () => {
    const garbage = await chain.deploy('Garbage', [`0x${'ff'.repeat(32)}`]);
    const rules = [STRANGER, garbage.address].map((address) => ({
      asset: `eip155:${chain.chainId}/safe:${address}`,
    }));
    const { status, body } = await gating.check({ account: OWNERS[0], rules });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      roles: [{ granted: false }],
      errors: [
        { name: 'NoContractError', retryable: false },
        { name: 'MalformedAnswerError', retryable: false },
      ],
    });
  });

  it('is undetermined, not denied, while the node is down', async () => {
    const rules = [{ asset: `eip155:${DOWN_CHAIN}/safe:${safe}` }];
    expect((await gating.check({ account: STRANGER, rules })).status).toBe(503);
  });

  it.each<[string, (safe: string) => object]>([
    ['scheme', (asset) => ({ scheme: 'erc20', asset })],
    ['scheme', (asset) => ({ scheme: 'gnosis', type: 'ERC20', asset })],
    ['asset', (asset) => ({ type: 'ERC20', asset })],
    ['asset', (asset) => ({ scheme: 'gnosis', asset: `${asset}/1` })],
    ['asset', () => ({ scheme: 'gnosis', asset: `eip155:1/erc20:${STRANGER}` })],
    ['tokenId', (asset) => ({ asset, tokenId: '1' })],
    ['eventId', (asset) => ({ asset, eventId: '1' })],
    ['chainId', () => ({ scheme: 'gnosis' })],
  ])('is rejected at %s', async (field, ruleOf) => {
    const rules = [ruleOf(`eip155:${chain.chainId}/safe:${safe}`)];
    const { status, body } = await gating.check({ account: STRANGER, rules });
    expect(status).toBe(400);
    const issue = expect.objectContaining({ path: `rules.0.${field}` });
    expect(body).toMatchObject({ error: { details: { issues: expect.arrayContaining([issue]) } } });
  });
});
