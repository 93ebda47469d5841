import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Address,
  encodeFunctionData,
  hashMessage,
  type Hex,
  padHex,
  serializeErc6492Signature,
} from 'viem';
import { envelopeOf } from '../support/envelope.js';
import { forwardTo, HostileNode, type NodeBehaviour } from '../support/hostile-node.js';
import { LocalChain } from '../support/local-chain.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';

/** A known chain without a configured node. */
const NODELESS_CHAIN = 10;

describe('Ethereum credentials of contract wallets', () => {
  let chain: LocalChain;
  let node: HostileNode;
  let suite: RunningSuite;
  let wallet: WalletAtTheGateway;
  /** The node's behaviour for calls that contain these addresses. */
  const faults = new Map<string, NodeBehaviour>();

  beforeAll(async () => {
    chain = await LocalChain.start();
    const forward = forwardTo(chain.rpcUrl);
    node = await HostileNode.start((request, response) => {
      const params = JSON.stringify(request.params).toLowerCase();
      const [, fault = forward] = [...faults].find(([address]) => params.includes(address)) ?? [];
      return fault(request, response);
    });
    suite = await runningSuite({ without: ['token-gating'], rpcUrls: { [chain.chainId]: node.url } });
    wallet = await WalletAtTheGateway.start(suite);
  });

  afterAll(async () => {
    await suite.stop();
    await node.stop();
    await chain.stop();
  });

  const on = (address: string, chainId: number = chain.chainId) => `eip155:${chainId}:${address}`;
  const deployed = async (name: string, args: unknown[] = []): Promise<Address> =>
    (await chain.deploy(name, args)).address;
  const me = (authorization: string) => wallet.me({ authorization });

  it('Ethereum credentials of contract wallets: are accepted when the contract confirms them (ERC-1271)', async () => {
    const address = await deployed('SignerWallet', [wallet.owner.address]);
    expect((await me(await wallet.credential(on(address)))).status).toBe(200);
    expect(
      (await me(await wallet.credential(on(address), { sign: () => `0x${'11'.repeat(65)}` }))).status,
    ).toBe(401);
  });

  it('Ethereum credentials of contract wallets: are accepted before the contract is deployed (ERC-6492)', async () => {
    const factory = await chain.deploy('WalletFactory');
    const salt = padHex('0x2b', { size: 32 });
    const args = [wallet.owner.address, salt];
    const read = { ...factory, functionName: 'addressOf', args };
    const address = (await chain.client.readContract(read)) as Address;
    const data = encodeFunctionData({ abi: factory.abi, functionName: 'create', args });
    const sign = (signature: Hex) => serializeErc6492Signature({ address: factory.address, data, signature });
    expect((await me(await wallet.credential(on(address), { sign }))).status).toBe(200);
    expect((await me(await wallet.credential(on(address)))).status).toBe(401);
    expect(await chain.client.getCode({ address })).toBeUndefined();
  });

  it('T253: contract wallet credential: is accepted with an empty signature for a message that the contract approved, and revoked', async () => {
    const contract = await chain.deploy('ApprovingWallet');
    const create = () => wallet.credential(on(contract.address), { sign: () => '0x' });
    const [unapproved, approved] = [await create(), await create()];
    const [, encoded = ''] = /^Ethereum ([^.]+)/.exec(approved) ?? [];
    const message = Buffer.from(encoded, 'base64url').toString();
    // A program that polls with its credential must not lock itself out before the approval is in a block.
    expect((await me(approved)).status).toBe(401);
    await chain.send(contract, 'approve', [hashMessage(message)]);
    expect((await me(unapproved)).status).toBe(401);
    expect((await me(approved)).status).toBe(200);
    expect((await me(`${approved}00`)).status).toBe(401);
    const credential = approved.slice('Ethereum '.length);
    const path = '/ethereum-login/credentials/revocations';
    const revocation = await fetch(suite.gatewayUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: approved },
      body: JSON.stringify({ credential }),
    });
    expect(revocation.ok).toBe(true);
    await until('the credential is revoked', async () => (await me(approved)).status === 401, 10_000);
  });

  it.each<[string, string, unknown[]]>([
    ['burns all gas', 'GasBurner', []],
    ['answers 3 MB', 'Flooder', [3_000_000n, false]],
    ['reverts', 'Reverting', [0, 'not today']],
    ['says yes in another way', 'Liar', []],
  ])(
    'Ethereum credentials of contract wallets: are rejected when the contract %s, the second time without a call',
    async (_what, name, args) => {
      const credential = await wallet.credential(on(await deployed(name, args)));
      expect((await me(credential)).status).toBe(401);
      const callsBefore = node.count('eth_call');
      expect((await me(credential)).status).toBe(401);
      expect(node.count('eth_call')).toBe(callsBefore);
    },
  );

  it('Ethereum credentials of contract wallets: are rejected when the contract loops beyond the timeout on a working node', async () => {
    const looper = '0x00000000000000000000000000000000000000bb';
    faults.set(looper.slice(2), () => undefined);
    expect((await me(await wallet.credential(on(looper)))).status).toBe(401);
    const address = await deployed('SignerWallet', [wallet.owner.address]);
    expect((await me(await wallet.credential(on(address)))).status).toBe(200);
  });

  it('Ethereum credentials of contract wallets: get 503 when the node does not execute the call', async () => {
    const address = await deployed('SignerWallet', [wallet.owner.address]);
    const credential = await wallet.credential(on(address));
    faults.set(address.slice(2).toLowerCase(), (_, response) => void response.writeHead(413).end());
    const rejected = await me(credential);
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await envelopeOf(rejected)).details.code).toBe('credentials_unavailable');
    faults.clear();
    expect((await me(credential)).status).toBe(200);
  });

  it('Ethereum credentials of contract wallets: get 401 on a chain without nodes, where those of plain keys work, and cannot be created for an unknown chain', async () => {
    const address = await deployed('SignerWallet', [wallet.owner.address]);
    expect((await me(await wallet.credential(on(address, NODELESS_CHAIN)))).status).toBe(401);
    expect((await me(await wallet.credential(on(wallet.owner.address, NODELESS_CHAIN)))).status).toBe(200);
    const question = { uri: 'https://shop.example/', accountId: on(address, 999_999_937) };
    const rejected = await wallet.post('/ethereum-login/challenges', wallet.key, question);
    expect([rejected.status, JSON.stringify(rejected.body)]).toEqual([
      400,
      expect.stringContaining('"path":"accountId"'),
    ]);
  });

  it('Ethereum credentials of contract wallets: lose the scopes that their client application loses, within five seconds', async () => {
    const other = await WalletAtTheGateway.start(suite, { scopes: ['token-gating', 'user:wallet:read'] });
    const credential = await other.credential(other.owner.address, {
      scopes: ['user:read', 'user:wallet:read'],
    });
    const wallets = async (headers: Record<string, string> = {}) => {
      const all = { authorization: credential, ...headers };
      const response = await fetch(`${suite.gatewayUrl}/account/wallets`, { headers: all });
      await response.body?.cancel();
      return response.status;
    };
    expect([await wallets(), await wallets(other.key)]).not.toContain(403);
    await suite.clientCommand(['set-scopes', other.client.clientId, '--scopes', 'token-gating']);
    const since = Date.now();
    const both = async () => [await wallets(), await wallets(other.key)];
    await until('the scope is gone', async () => (await both()).every((status) => status === 403), 10_000);
    expect(Date.now() - since).toBeLessThan(5_000);
    expect((await me(credential)).status).toBe(200);
  });
});
