import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { GatedChain } from '../support/gated-chain.js';
import { GatingApp } from './gating-app.js';

const holder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const coin = '0x0000000000000000000000000000000000000000';
const downChain = 1;

let gated: GatedChain;
let gating: GatingApp;
let tokens: string[];

beforeAll(async () => {
  gated = await GatedChain.start();
  const { chain } = gated;
  const six = await chain.deploy('DemoERC20', ['Demo', 'SIX', 6, holder, 1_500_000n]);
  const many = await chain.deploy('DemoERC20', ['Demo', 'MANY', 18, holder, 1n]);
  const broken = await chain.deploy('Reverting', [0, 'no']);
  tokens = [six, many, broken].map(({ address }) => address.toLowerCase());
  await chain.setNativeBalance(holder, 2n * 10n ** 18n);
  const [contractAddress] = tokens;
  gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: gated.node.url,
    [`RPC_URL_${downChain}`]: 'http://127.0.0.1:9',
    WATCHED_TOKENS: JSON.stringify([
      { chainId: chain.chainId, contractAddress },
      { chainId: chain.chainId, contractAddress: tokens[1], cashtag: '$OURS' },
      { chainId: chain.chainId, contractAddress: tokens[2], cashtag: '$BROKEN' },
      { chainId: downChain, contractAddress },
      { chainId: 10, contractAddress },
    ]),
  });
});

afterAll(async () => {
  await gating.stop();
  await gated.stop();
});

async function fetchBalances(request: object): Promise<{ status: number; body: unknown }> {
  const issuer = new PrincipalIssuer(gating.signingKey('identity'));
  const token = await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating');
  const response = await fetch(`${gating.app.url}/internal/balances`, {
    method: 'POST',
    headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });
  return { status: response.status, body: await response.json() };
}

const all = () => {
  const { chainId } = gated.chain;
  return [
    { cashtag: '$ETH', tokenAddress: coin, chainId, balance: '2' },
    { cashtag: '$SIX', tokenAddress: tokens[0], chainId, balance: '1.5' },
    { cashtag: '$OURS', tokenAddress: tokens[1], chainId, balance: '0.000000000000000001' },
  ];
};

describe('balances of a linked wallet', () => {
  it('balances of a linked wallet: cover all watched coins and tokens, omit failed reads, and take one call per node', async () => {
    await fetchBalances({ accountId: `eip155:1:${holder}`, isContract: false }); // connects to the node
    const calls = gated.node.count('eth_call');
    const answer = await fetchBalances({ accountId: `eip155:1:${holder}`, isContract: false });
    expect(answer).toEqual({ status: 200, body: { accounts: all() } });
    expect(gated.node.count('eth_call')).toBe(calls + 1);
  });

  it('balances of a contract wallet: cover its own chain only', async () => {
    const { chainId } = gated.chain;
    const own = await fetchBalances({ accountId: `eip155:${chainId}:${holder}`, isContract: true });
    expect(own.body).toEqual({ accounts: all() });
    const other = await fetchBalances({ accountId: `eip155:10:${holder}`, isContract: true });
    expect(other.body).toEqual({ accounts: [] });
  });

  it('balances of a linked wallet: are empty for a Solana wallet and rejected for an invalid account id', async () => {
    const solana = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
    expect(await fetchBalances({ accountId: solana, isContract: false })).toEqual({
      status: 200,
      body: { accounts: [] },
    });
    expect((await fetchBalances({ accountId: 'eip155:1:0x12', isContract: false })).status).toBe(400);
  });

  it('balances of a linked wallet: do not wait for an unresponsive node', async () => {
    gated.hold();
    const answer = await fetchBalances({ accountId: `eip155:1:${holder}`, isContract: false });
    gated.release();
    expect(answer).toEqual({ status: 200, body: { accounts: [] } });
  });

  it('balances of a linked wallet: are forbidden for the gateway', async () => {
    const { status } = await gating.request('POST', '/internal/balances', '{}');
    expect(status).toBe(403);
  });
});
