import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, PrincipalIssuer } from '@app/auth';
import { type Address as SolanaAddress, generateKeyPairSigner, lamports } from '@solana/kit';
import type { Address } from 'viem';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { LocalChain } from '../support/local-chain.js';
import { SolanaNode } from '../support/solana-node.js';
import { createMint, createPayer, writeTokenAccount } from '../support/solana-tokens.js';
import { GatingApp } from './gating-app.js';

const ETHEREUM = 1;
const MAINNET = 8_000_000_000_101;
const MAINNET_CAIP_2 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const MAINNET_GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const USDC: Address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const DAI: Address = '0x6B175474E89094C44Da98b954EedeAC495271d0F';
const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as SolanaAddress;
const JUP_MINT = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN' as SolanaAddress;
const holder: Address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let chain: LocalChain;
let cluster: SolanaNode;
let solanaHolder: SolanaAddress;
/** Without WATCHED_TOKENS. */
let unlisted: GatingApp;
/** An app whose operators list one mint. */
let listed: GatingApp;

beforeAll(async () => {
  chain = await LocalChain.start(ETHEREUM);
  await deployAt(USDC, 6, 2_500_000n);
  await deployAt(DAI, 18, 0n);
  await chain.setNativeBalance(holder, 3n * 10n ** 18n);
  const svm = new SolanaCluster();
  cluster = await SolanaNode.start(svm);
  cluster.change = (response, { method }) =>
    method === 'getGenesisHash' ? { ...response, result: MAINNET_GENESIS_HASH } : response;
  ({ address: solanaHolder } = await generateKeyPairSigner());
  svm.svm.airdrop(solanaHolder, lamports(1_500_000_000n));
  const account = svm.svm.getAccount(await createMint(svm, await createPayer(svm), { decimals: 6 }));
  if (!account.exists) throw new Error('The mint does not exist');
  for (const address of [USDC_MINT, JUP_MINT]) {
    svm.svm.setAccount({ ...account, address });
    await writeTokenAccount(svm, { mint: address, owner: solanaHolder, amount: 7_000_000n });
  }
  const env = { [`RPC_URL_${ETHEREUM}`]: chain.rpcUrl, [`RPC_URL_${MAINNET}`]: cluster.url };
  unlisted = await GatingApp.start(env);
  listed = await GatingApp.start({
    ...env,
    WATCHED_TOKENS: JSON.stringify([
      { chainId: ETHEREUM, contractAddress: DAI, cashtag: '$OURS' },
      { chainId: MAINNET, contractAddress: JUP_MINT, cashtag: '$JUP' },
    ]),
  });
}, 120_000);

afterAll(async () => {
  await unlisted.stop();
  await listed.stop();
  await cluster.stop();
  await chain.stop();
});

/** A demo token at a well-known address. */
async function deployAt(address: Address, decimals: number, amount: bigint): Promise<void> {
  const demo = await chain.deploy('DemoERC20', ['Demo', 'DEMO', decimals, holder, 0n]);
  const code = await chain.client.getCode({ address: demo.address });
  await chain.client.setCode({ address, bytecode: code ?? '0x' });
  await chain.mint({ ...demo, address }, holder, amount);
}

async function fetchBalances(gating: GatingApp, accountId: string): Promise<unknown> {
  const issuer = new PrincipalIssuer(gating.signingKey('identity'));
  const token = await issuer.issueToken({ kind: 'service', name: 'identity' }, 'token-gating');
  const response = await fetch(`${gating.app.url}/internal/balances`, {
    method: 'POST',
    headers: { [PRINCIPAL_HEADER]: token, 'content-type': 'application/json' },
    body: JSON.stringify({ accountId, isContract: false, tenantId: 'tenant_1' }),
  });
  const { accounts } = (await response.json()) as { accounts: unknown };
  return accounts;
}
const list = async (gating: GatingApp, account: string) =>
  (await gating.request('GET', `/asset-list/${account}`)).body;
const coin = { cashtag: '$ETH', tokenAddress: `0x${'0'.repeat(40)}`, chainId: ETHEREUM, balance: '3' };
const sol = { cashtag: '$SOL', tokenAddress: '1'.repeat(32), chainId: MAINNET, balance: '1.5' };
const solanaId = () => `${MAINNET_CAIP_2}:${solanaHolder}`;

describe('a deployment without WATCHED_TOKENS', () => {
  it('WalletBalance: has the coins of all chains with a node URL, and well-known tokens above zero', async () => {
    expect(await fetchBalances(unlisted, `eip155:1:${holder}`)).toEqual([
      coin,
      { cashtag: '$USDC', tokenAddress: USDC.toLowerCase(), chainId: ETHEREUM, balance: '2.5' },
    ]);
  });

  it('WalletBalance: of a Solana account has SOL and well-known mints', async () => {
    expect(await fetchBalances(unlisted, solanaId())).toEqual([
      sol,
      { cashtag: '$USDC', tokenAddress: USDC_MINT, chainId: MAINNET, balance: '7' },
      { cashtag: '$JUP', tokenAddress: JUP_MINT, chainId: MAINNET, balance: '7' },
    ]);
  });

  it('asset-list: without assets has coins and well-known tokens, and no errors of tokens that are not there', async () => {
    expect(await list(unlisted, holder)).toEqual([
      { asset: 'eip155:1/slip44:60', balance: '3' },
      { asset: `eip155:1/erc20:${USDC}`, balance: '2.5' },
    ]);
    expect(await list(unlisted, solanaHolder)).toEqual([
      { asset: `${MAINNET_CAIP_2}/slip44:501`, balance: '1.5' },
      { asset: `${MAINNET_CAIP_2}/token:${USDC_MINT}`, balance: '7' },
      { asset: `${MAINNET_CAIP_2}/token:${JUP_MINT}`, balance: '7' },
    ]);
  });
});

describe('a deployment with WATCHED_TOKENS', () => {
  it('WalletBalance, asset-list: have the tokens that the operators list, and no others', async () => {
    expect(await fetchBalances(listed, `eip155:1:${holder}`)).toEqual([
      coin,
      { cashtag: '$OURS', tokenAddress: DAI.toLowerCase(), chainId: ETHEREUM, balance: '0' },
    ]);
    expect(await fetchBalances(listed, solanaId())).toEqual([
      sol,
      { cashtag: '$JUP', tokenAddress: JUP_MINT, chainId: MAINNET, balance: '7' },
    ]);
    expect(await list(listed, solanaHolder)).toEqual([
      { asset: `${MAINNET_CAIP_2}/slip44:501`, balance: '1.5' },
      { asset: `${MAINNET_CAIP_2}/token:${JUP_MINT}`, balance: '7' },
    ]);
  });
});
