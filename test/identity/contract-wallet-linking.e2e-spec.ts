import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  padHex,
  serializeErc6492Signature,
} from 'viem';
import { freePort } from '../../scripts/processes/ports.mjs';
import { GatedChain } from '../support/gated-chain.js';
import { until } from '../support/until.js';
import { LinkingWorld, newKey, type User } from './linking-world.js';

/** A chain whose node refuses connections. */
const SILENT_CHAIN = 424_243;
/** Known, but without configured nodes. */
const NODELESS_CHAIN = 10;

describe('linking a contract wallet', () => {
  let gated: GatedChain;
  let world: LinkingWorld;
  let wallet: Address;
  let chainId: string;
  const owner = newKey();

  beforeAll(async () => {
    gated = await GatedChain.start();
    const chains = [{ id: SILENT_CHAIN, rpcUrls: [`http://127.0.0.1:${await freePort()}`] }];
    world = await LinkingWorld.start({
      RPC_URL_31337: gated.node.url,
      CHAINS: JSON.stringify(chains),
    });
    wallet = getAddress((await gated.chain.deploy('SignerWallet', [owner.address])).address);
    chainId = String(gated.chain.chainId);
  });

  afterEach(() => {
    gated.onCall = undefined;
  });

  afterAll(async () => {
    await world.stop();
    await gated.stop();
  });

  const proofFor = async (user: User, more: object = {}) => {
    const message = await world.message(user);
    return {
      address: wallet,
      message,
      signedMessage: await owner.signMessage({ message }),
      chainId,
      ...more,
    };
  };
  const codeOf = async (user: User, body: object) => {
    const { status, error } = await world.link(user, body);
    return [status, error?.details.code];
  };

  it('linking a contract wallet: verifies ERC-1271 and links the wallet on its chain', async () => {
    const user = world.newUser();
    expect(await codeOf(user, await proofFor(user))).toEqual([200, undefined]);
    expect(await codeOf(user, await proofFor(user, { chainId: `eip155:${chainId}` }))).toEqual([
      200,
      undefined,
    ]);
    const rows = await world.query(
      `SELECT wallet_key, wallet_type, chain_id FROM identity.wallet_connections
       WHERE user_id = $1 AND address = $2`,
      [user.user.id, wallet],
    );
    expect(rows).toEqual([
      { wallet_key: `eip155:${chainId}:${wallet.toLowerCase()}`, wallet_type: 'contract', chain_id: chainId },
    ]);
    expect((await world.listPublishedEvents(user)).slice(1)).toEqual([
      `wallet.linked eip155:${chainId}:${wallet}`,
    ]);
  });

  it('link message: is kept while it is among the ten newest, although older ones of a contract live longer', async () => {
    const [user, key] = [world.newUser(), newKey()];
    for (let asked = 0; asked < 9; asked += 1)
      await world.message(user, { address: `eip155:${chainId}:${wallet}` });
    const message = await world.message(user);
    await world.message(user);
    const signedMessage = await key.signMessage({ message });
    expect((await world.link(user, { address: key.address, message, signedMessage })).status).toBe(200);
  });

  it('linking a contract wallet: verifies ERC-6492 before deployment', async () => {
    const user = world.newUser();
    const factory = await gated.chain.deploy('WalletFactory');
    const salt = padHex('0x2b', { size: 32 });
    const args = [owner.address, salt] as const;
    const address = (await gated.chain.client.readContract({
      ...factory,
      functionName: 'addressOf',
      args,
    })) as Address;
    const proof = await proofFor(user);
    const make = encodeFunctionData({ abi: factory.abi, functionName: 'create', args });
    const wrapped = encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [factory.address, make, proof.signedMessage],
    );
    const signedMessage: Hex = `${wrapped}${'6492'.repeat(16)}`;
    expect(await codeOf(user, { ...proof, address, signedMessage })).toEqual([200, undefined]);
  });

  it('T252: link message without an address: a contract account has an hour, a key ten minutes, and a late answer reads that it has expired', async () => {
    const linkAfter = async (minutes: number, more: object) => {
      const user = world.newUser();
      const proof = await proofFor(user, more);
      await world.query(
        `UPDATE identity.wallet_challenges SET issued_at = issued_at - make_interval(mins => $2),
           expires_at = expires_at - make_interval(mins => $2) WHERE user_id = $1`,
        [user.user.id, minutes],
      );
      const { status, error } = await world.link(user, proof);
      return [status, error?.details.code, error?.message.includes('has expired')];
    };
    const expired = [400, 'challenge_invalid', true];
    const key = { address: owner.address, chainId: undefined };
    expect(await linkAfter(59, {})).toEqual([200, undefined, undefined]);
    expect(await linkAfter(61, {})).toEqual(expired);
    expect(await linkAfter(9, key)).toEqual([200, undefined, undefined]);
    expect(await linkAfter(11, key)).toEqual(expired);
    expect(await linkAfter(11, { ...key, chainId })).toEqual(expired);
  });

  it('T61: linking a contract wallet: rejects a wallet that a call of the prover would give to the prover', async () => {
    const user = world.newUser();
    const token = await gated.chain.deploy('DemoERC721', ['Token', 'TKN']);
    const { address } = await gated.chain.deploy('TokenBoundWallet', [token.address, 7n]);
    const proof = await proofFor(user, { address });
    const signedMessage = serializeErc6492Signature({
      address: token.address,
      data: encodeFunctionData({ abi: token.abi, functionName: 'mint', args: [owner.address, 7n] }),
      signature: proof.signedMessage,
    });
    expect(await codeOf(user, { ...proof, signedMessage })).toEqual([400, 'signature_invalid']);
    expect(await world.publishedEvents(user)).toHaveLength(1);
  });

  it('linking a contract wallet: rejects a missing chain, another key and another contract, and uses the message up', async () => {
    const user = world.newUser();
    const stranger = newKey();
    const wrong = [400, 'signature_invalid'];
    const HINT = /contract wallet needs chainId/;
    const messageOf = async (body: object) => (await world.link(user, body)).error?.message;
    const withoutChain = await proofFor(user);
    expect(await codeOf(user, { ...withoutChain, chainId: undefined })).toEqual(wrong);
    expect(await messageOf({ ...(await proofFor(user)), chainId: undefined })).toMatch(HINT);
    expect(await messageOf(await proofFor(user, { address: stranger.address }))).not.toMatch(HINT);
    expect(await codeOf(user, withoutChain)).toEqual([400, 'challenge_invalid']);
    const others = await proofFor(user);
    const signedMessage = await stranger.signMessage({ message: others.message });
    expect(await codeOf(user, { ...others, signedMessage })).toEqual(wrong);
    expect(await codeOf(user, others)).toEqual([400, 'challenge_invalid']);
    expect(await codeOf(user, await proofFor(user, { address: stranger.address }))).toEqual(wrong);
    const { address: liar } = await gated.chain.deploy('Liar');
    expect(await codeOf(user, await proofFor(user, { address: liar }))).toEqual(wrong);
    expect(await world.publishedEvents(user)).toHaveLength(1);
  });

  it('linking a contract wallet: fails on another chain without using the message up', async () => {
    const user = world.newUser();
    const proof = await proofFor(user);
    expect(await codeOf(user, { ...proof, chainId: String(NODELESS_CHAIN) })).toEqual([
      400,
      'contract_wallet_not_supported',
    ]);
    expect(await codeOf(user, { ...proof, chainId: String(SILENT_CHAIN) })).toEqual([
      503,
      'nodes_unavailable',
    ]);
    expect(await codeOf(user, proof)).toEqual([200, undefined]);
  });

  it('linking a contract wallet: keeps the message valid while no node answers', async () => {
    const user = world.newUser();
    const proof = await proofFor(user);
    gated.onCall = (_request, response) => {
      response.writeHead(502).end();
    };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { status, error } = await world.link(user, proof);
      expect([status, error?.details.code]).toEqual([503, 'nodes_unavailable']);
    }
    expect(await world.publishedEvents(user)).toHaveLength(1);
    gated.onCall = undefined;
    // The circuit breaker of the node is open for a moment.
    let answer: unknown[] = [];
    await until('the node is asked again', async () => {
      answer = await codeOf(user, proof);
      return answer[0] !== 503;
    });
    expect(answer).toEqual([200, undefined]);
    expect(await codeOf(user, proof)).toEqual([400, 'challenge_invalid']);
  });

  it('linking a contract wallet: requires a client application', async () => {
    const user = world.newUser();
    const proof = await proofFor(user);
    const { status, error } = await world.link({ ...user, client: undefined }, proof);
    expect([status, error?.details.code]).toEqual([403, 'client_required']);
    expect(await codeOf(user, proof)).toEqual([200, undefined]);
  });
});
