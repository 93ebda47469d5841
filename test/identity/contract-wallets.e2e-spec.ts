import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, deriveUserId } from '@app/auth';
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  padHex,
  serializeErc6492Signature,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { forwardUnknownHalts, HALTING_CODE, HostileNode } from '../support/hostile-node.js';
import { LocalChain } from '../support/local-chain.js';
import { freePort } from '../../scripts/processes/ports.mjs';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { queryDatabase } from './query-database.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';
/** Chains whose nodes refuse connections. */
const OTHER_CHAIN = 424_242;
const SILENT_CHAIN = 424_243;
/** Known, but without configured nodes. */
const NODELESS_CHAIN = 10;

describe('contract wallets', () => {
  let chain: LocalChain;
  let node: HostileNode;
  let world: SignInWorld;
  let shop: Principal;
  let wallet: Address;
  const owner = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    chain = await LocalChain.start();
    const chains = [
      { id: OTHER_CHAIN, rpcUrls: [`http://127.0.0.1:${await freePort()}`] },
      { id: SILENT_CHAIN, rpcUrls: [`http://127.0.0.1:${await freePort()}`] },
    ];
    node = await HostileNode.start(forwardUnknownHalts(chain.rpcUrl));
    world = await SignInWorld.start({ RPC_URL_31337: node.url, CHAINS: JSON.stringify(chains) });
    shop = await world.client([ORIGIN]);
    ({ address: wallet } = await chain.deploy('SignerWallet', [owner.address]));
  });

  afterAll(async () => {
    await world.stop();
    await node.stop();
    await chain.stop();
  });

  const on = (address: string, chainId: number = chain.chainId) => `eip155:${chainId}:${address}`;

  const challenge = async (more: object) => {
    const { status, body } = await world.challenge(shop, { uri: ORIGIN, ...more });
    expect(status).toBe(200);
    return body;
  };

  const loginAs = async (accountId: string, more: object = {}) => {
    const { requestId, message } = await challenge({ accountId });
    const signature = await owner.signMessage({ message });
    return world.login(shop, { requestId, signature, ...more });
  };

  const userIdOn = (chainId: number, address: Address) =>
    deriveUserId('ethereum', `eip155:${chainId}:${address.toLowerCase()}`);

  /** A wallet of the owner that a factory would deploy, and its signatures (ERC-6492). */
  async function createUndeployedWallet(text: Hex) {
    const factory = await chain.deploy('WalletFactory');
    const args = [owner.address, padHex(text, { size: 32 })];
    const account = (await chain.client.readContract({
      ...factory,
      functionName: 'addressOf',
      args,
    })) as Address;
    const make = encodeFunctionData({ abi: factory.abi, functionName: 'create', args });
    const sign = async (message: string): Promise<Hex> => {
      const inner = await owner.signMessage({ message });
      const parts = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }];
      return `${encodeAbiParameters(parts, [factory.address, make, inner])}${'6492'.repeat(16)}`;
    };
    return { account, sign };
  }

  it('contract wallets: sign in with ERC-1271, as the account of one chain', async () => {
    for (const signatureType of ['eip1271', 'eip6492'])
      expect((await loginAs(on(wallet), { signatureType })).status).toBe(200);
    const { status, body } = await loginAs(on(wallet));
    expect(status).toBe(200);
    expect(await world.claimsOf(body.idToken)).toMatchObject({
      sub: userIdOn(chain.chainId, wallet),
      wallet: on(getAddress(wallet)),
    });
  });

  it('T252: login challenge: a contract account that it names has an hour, any key ten minutes, and a late answer reads that it has expired', async () => {
    const minutesOf = (message: string) => {
      const [, issued = ''] = /^Issued At: (.+)$/m.exec(message) ?? [];
      const [, expiry = ''] = /^Expiration Time: (.+)$/m.exec(message) ?? [];
      return (Date.parse(expiry) - Date.parse(issued)) / 60_000;
    };
    for (const [accountId, minutes] of [
      [on(wallet), 60],
      // No node answers there.
      [on(wallet, OTHER_CHAIN), 60],
      // The account may be a contract that is not deployed yet.
      [on(owner.address), 60],
      [on(wallet, NODELESS_CHAIN), 10],
      [owner.address, 10],
    ] as const)
      expect([accountId, minutesOf((await challenge({ accountId })).message)]).toEqual([accountId, minutes]);

    const answerAfter = async (
      accountId: string,
      minutes: number,
      sign: (message: string) => Promise<Hex> = (message) => owner.signMessage({ message }),
    ) => {
      const { requestId, message } = await challenge({ accountId });
      await queryDatabase(
        world.database.url,
        `UPDATE identity.sign_in_challenges SET expires_at = expires_at - make_interval(mins => $2) WHERE id = $1`,
        [requestId, minutes],
      );
      const { status, error } = await world.login(shop, { requestId, signature: await sign(message) });
      return [status, error?.message.includes('has expired')];
    };
    expect(await answerAfter(on(wallet), 59)).toEqual([200, undefined]);
    expect(await answerAfter(on(wallet), 61)).toEqual([401, true]);
    expect(await answerAfter(on(owner.address), 9)).toEqual([200, undefined]);
    expect(await answerAfter(on(owner.address), 11)).toEqual([401, true]);
    expect(
      await answerAfter(on(wallet), 11, (message) =>
        privateKeyToAccount(generatePrivateKey()).signMessage({ message }),
      ),
    ).toEqual([401, false]);
    const undeployed = await createUndeployedWallet('0x2c');
    expect(await answerAfter(on(undeployed.account), 59, undeployed.sign)).toEqual([200, undefined]);
    expect(await answerAfter(on(undeployed.account), 61, undeployed.sign)).toEqual([401, true]);
  });

  it('contract wallets: sign in as the externally owned account when neither challenge nor login names an account', async () => {
    const { requestId, message } = await challenge({});
    const signature = await owner.signMessage({ message });
    const { body } = await world.login(shop, { requestId, signature });
    expect((await world.claimsOf(body.idToken)).wallet).toBe(`eip155:1:${owner.address}`);
  });

  it('contract wallets: sign in with ERC-6492 before deployment', async () => {
    const { account, sign } = await createUndeployedWallet('0x2a');
    const { requestId, message } = await challenge({ accountId: on(account) });
    const signature = await sign(message);
    const { status, body } = await world.login(shop, { requestId, signature, signatureType: 'eip6492' });
    expect(status).toBe(200);
    expect((await world.claimsOf(body.idToken)).sub).toBe(userIdOn(chain.chainId, account));
    expect(await chain.client.getCode({ address: account })).toBeUndefined();
  });

  it('T61: contract wallets: are rejected when a call that the prover chose would make the prover the owner', async () => {
    const token = await chain.deploy('DemoERC721', ['Token', 'TKN']);
    const { address } = await chain.deploy('TokenBoundWallet', [token.address, 7n]);
    const { requestId, message } = await challenge({ accountId: on(address) });
    const signature = serializeErc6492Signature({
      address: token.address,
      data: encodeFunctionData({ abi: token.abi, functionName: 'mint', args: [owner.address, 7n] }),
      signature: await owner.signMessage({ message }),
    });
    const { status, error } = await world.login(shop, { requestId, signature });
    expect([status, error?.details.code]).toEqual([401, 'login_invalid']);
  });

  it('contract wallets: are rejected when another key signed, which uses the challenge up', async () => {
    const { requestId, message } = await challenge({ accountId: on(wallet) });
    const stranger = privateKeyToAccount(generatePrivateKey());
    const bad = await stranger.signMessage({ message });
    expect((await world.login(shop, { requestId, signature: bad })).status).toBe(401);
    const good = await owner.signMessage({ message });
    expect((await world.login(shop, { requestId, signature: good })).status).toBe(401);
  });

  it.each<[string, unknown[]]>([
    ['Liar', []],
    ['GasBurner', []],
    ['Reverting', [0, 'not today']],
    ['Flooder', [3_000_000n, false]],
    ['Garbage', [`0x1626ba7e${'01'.repeat(28)}`]],
    ['Garbage', ['0x1626ba7e']],
  ])('contract wallets: are rejected when the contract is a %s', async (name, args) => {
    const { address } = await chain.deploy(name, args);
    const { status, error } = await loginAs(on(address));
    expect([status, error?.details.code]).toEqual([401, 'login_invalid']);
  });

  it('T63: contract wallets: are rejected when the contract makes the node answer an unknown error, and others sign in', async () => {
    const address = '0x00000000000000000000000000000000000ba17e';
    await chain.client.setCode({ address, bytecode: HALTING_CODE });
    // The attacks are more than the failures in a row that open a circuit breaker.
    for (let attack = 0; attack < 8; attack += 1) {
      const { status, error } = await loginAs(on(address));
      expect([status, error?.details.code]).toEqual([401, 'login_invalid']);
    }
    expect((await loginAs(on(wallet))).status).toBe(200);
  });

  it('contract wallets: are rejected without a contract', async () => {
    const nobody = privateKeyToAccount(generatePrivateKey()).address;
    expect((await loginAs(on(nobody))).status).toBe(401);
  });

  it('contract wallets: are rejected on another chain', async () => {
    expect((await loginAs(on(wallet), { accountId: on(wallet, 1) })).status).toBe(401);
    // The same address on another chain is another account, and no node of that chain answers.
    const { status, body, error } = await loginAs(on(wallet, OTHER_CHAIN));
    expect([status, error?.details.code, body.idToken]).toEqual([503, 'nodes_unavailable', undefined]);
  });

  it('contract wallets: get 503 while no node answers, which uses the challenge up', async () => {
    const { requestId, message } = await challenge({ accountId: on(wallet, SILENT_CHAIN) });
    const signature = await owner.signMessage({ message });
    expect((await world.login(shop, { requestId, signature })).status).toBe(503);
    const again = await world.login(shop, { requestId, signature });
    expect([again.status, again.error?.details.code]).toEqual([401, 'login_invalid']);
  });

  it('contract wallets: are not supported on a chain without nodes, unlike externally owned accounts', async () => {
    const { status, error } = await loginAs(on(wallet, NODELESS_CHAIN));
    expect([status, error?.details.code]).toEqual([401, 'login_chain_not_supported']);
    expect((await loginAs(on(owner.address, NODELESS_CHAIN))).status).toBe(200);
    const unknown = await world.challenge(shop, { uri: ORIGIN, accountId: on(wallet, 999_999_937) });
    expect([unknown.status, unknown.error?.details.issues?.map(({ path }) => path)]).toEqual([
      400,
      ['accountId'],
    ]);
  });

  it('contract wallets: are not involved when an externally owned account signs in without a node', async () => {
    const { status, body } = await loginAs(on(owner.address, SILENT_CHAIN));
    expect(status).toBe(200);
    expect((await world.claimsOf(body.idToken)).sub).toBe(
      deriveUserId('ethereum', owner.address.toLowerCase()),
    );
  });

  describe('with Ethereum credentials', () => {
    const check = (message: string, signature: string) =>
      world.post<{ isValid: boolean }>('/internal/ethereum-credentials', GATEWAY_ITSELF, {
        message,
        signature,
      });

    const credential = async (accountId: string) => {
      const resources = ['http://localhost:3000/#credential'];
      const { message } = await challenge({ accountId, resources });
      return { message, signature: await owner.signMessage({ message }) };
    };

    it('contract wallets, with Ethereum credentials: are verified for the gateway', async () => {
      const { message, signature } = await credential(on(wallet));
      expect(await check(message, signature)).toMatchObject({ status: 200, body: { isValid: true } });
      const other = await owner.signMessage({ message: `${message} ` });
      expect((await check(message, other)).body).toEqual({ isValid: false });
      const plain = await credential(on(owner.address));
      expect((await check(plain.message, plain.signature)).body).toEqual({ isValid: true });
    });

    it('contract wallets, with Ethereum credentials: cause no node request for a message that is not a credential', async () => {
      const login = await challenge({ accountId: on(wallet, SILENT_CHAIN) });
      const signature = await owner.signMessage(login);
      // A node request would result in 503, because no node answers.
      expect((await check(login.message, signature)).body).toEqual({ isValid: false });
      const { message } = await credential(on(wallet, SILENT_CHAIN));
      const forged = message.replace(/^(Nonce: .*)(..)$/m, '$1ZZ');
      expect((await check(forged, signature)).body).toEqual({ isValid: false });
      expect((await check('no message', signature)).body).toEqual({ isValid: false });
    });

    it('contract wallets, with Ethereum credentials: are invalid on a chain without nodes', async () => {
      const { message, signature } = await credential(on(wallet, NODELESS_CHAIN));
      expect(await check(message, signature)).toMatchObject({ status: 200, body: { isValid: false } });
    });

    it('contract wallets, with Ethereum credentials: get 503 while no node answers', async () => {
      const { message, signature } = await credential(on(wallet, SILENT_CHAIN));
      const { status, error } = await check(message, signature);
      expect([status, error?.details.code]).toEqual([503, 'nodes_unavailable']);
    });
  });
});
