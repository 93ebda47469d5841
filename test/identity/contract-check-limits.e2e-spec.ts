import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { envelopeOf } from '../support/envelope.js';
import { GatedChain } from '../support/gated-chain.js';
import { until } from '../support/until.js';
import { GATEWAY_ITSELF } from './identity-under-test.js';
import { SignInWorld } from './sign-in-world.js';

const ORIGIN = 'https://shop.example';
const CREDENTIAL_RESOURCE = 'http://localhost:3000/#credential';
const PER_MINUTE = 30;

describe('limits of contract-wallet checks', () => {
  let gated: GatedChain;
  let world: SignInWorld;
  let accountId: string;
  const owner = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    gated = await GatedChain.start();
    world = await SignInWorld.start({
      RPC_URL_31337: gated.node.url,
      // Half of both is for users, who present credentials.
      TENANT_CONTRACT_CHECKS: '4',
      CHAIN_CONTRACT_CHECKS: '3',
      TENANT_CONTRACT_CHECKS_A_MINUTE: String(2 * PER_MINUTE),
    });
    const { address } = await gated.chain.deploy('SignerWallet', [owner.address]);
    accountId = `eip155:${gated.chain.chainId}:${address}`;
  });

  afterAll(async () => {
    await world.stop();
    await gated.stop();
  });

  const shop = () => world.client([ORIGIN]);

  const createCredential = async (client: Principal) => {
    const { body } = await world.challenge(client, {
      uri: ORIGIN,
      accountId,
      resources: [CREDENTIAL_RESOURCE],
    });
    const { message } = body;
    return { message, signature: await owner.signMessage({ message }) };
  };

  const check = (credential: { message: string; signature: Hex }) =>
    world.identity.post('/internal/ethereum-credentials', GATEWAY_ITSELF, credential);

  const refusalOf = async (response: Response) => {
    const { name, details } = await envelopeOf(response);
    return [response.status, name, details.code, response.headers.get('retry-after')];
  };
  const refused = [429, 'TooManyRequestsError', 'contract_check_limit_exceeded', '2'];

  /** The same message with an invalid signature. */
  const withInvalidSignature = (credential: { message: string; signature: Hex }, n: number) => ({
    ...credential,
    signature: `0x${n.toString(16).padStart(16, '0')}${credential.signature.slice(18)}` as Hex,
  });

  it('limits of contract-wallet checks: limit concurrent checks per client application and per chain', async () => {
    const [one, other, third] = [await shop(), await shop(), await shop()];
    const mine = [await createCredential(one), await createCredential(one)];
    const tooMany = await createCredential(one);
    const [theirs, late] = [await createCredential(other), await createCredential(third)];
    gated.hold();
    const running = mine.map(check);
    await until('both checks wait for the node', () => gated.heldBack === 2);
    expect(await refusalOf(await check(tooMany))).toEqual(refused);
    const others = check(theirs);
    await until('the other check waits for the node', () => gated.heldBack === 3);
    // Now the chain's limit is reached.
    expect(await refusalOf(await check(late))).toEqual(refused);
    gated.release();
    for (const answer of await Promise.all([...running, others]))
      expect(await answer.json()).toEqual({ isValid: true });
    for (const credential of [tooMany, late])
      expect(await (await check(credential)).json()).toEqual({ isValid: true });
    const metrics = await (await fetch(`${world.app.managementUrl}/metrics`)).text();
    for (const limit of ['users_concurrent', 'chain_concurrent'])
      expect(metrics).toMatch(
        new RegExp(String.raw`^identity_contract_checks_refused_total\{.*limit="${limit}".*\} 1$`, 'm'),
      );
  });

  it('limits of contract-wallet checks: cache invalid signatures for a minute, in any letter case', async () => {
    const bad = withInvalidSignature(await createCredential(await shop()), 1);
    expect(await (await check(bad)).json()).toEqual({ isValid: false });
    const before = gated.node.count('eth_call');
    const upper: Hex = `0x${bad.signature.slice(2).toUpperCase()}`;
    for (const signature of [bad.signature, upper, bad.signature])
      expect(await (await check({ ...bad, signature })).json()).toEqual({ isValid: false });
    expect(gated.node.count('eth_call')).toBe(before);
  });

  it('limits of contract-wallet checks: limit checks per minute per client application', async () => {
    const [one, other] = [await shop(), await shop()];
    const credential = await createCredential(one);
    const statuses: number[] = [];
    const before = gated.node.count('eth_call');
    for (let n = 0; n < PER_MINUTE + 10; n += 1) {
      const response = await check(withInvalidSignature(credential, n));
      statuses.push(response.status);
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await response.body?.cancel();
    }
    expect(statuses.slice(0, PER_MINUTE)).toEqual(Array.from({ length: PER_MINUTE }, () => 200));
    expect(statuses).toContain(429);
    expect(gated.node.count('eth_call') - before).toBe(statuses.filter((status) => status === 200).length);
    expect(await (await check(await createCredential(other))).json()).toEqual({ isValid: true });
  });

  it('limits of contract-wallet checks: apply to sign-ins of contract wallets, but not of externally owned accounts', async () => {
    const client = await shop();
    const login = async (account: string) => {
      const { body } = await world.challenge(client, { uri: ORIGIN, accountId: account });
      const signature = await owner.signMessage({ message: body.message });
      return world.login(client, { requestId: body.requestId, signature });
    };
    gated.hold();
    const running = Array.from({ length: 2 }, () => login(accountId));
    await until('both logins wait for the node', () => gated.heldBack === 2);
    const { status, error } = await login(accountId);
    expect([status, error?.details.code]).toEqual([429, 'contract_check_limit_exceeded']);
    expect((await login(owner.address)).status).toBe(200);
    gated.release();
    expect((await Promise.all(running)).map((answer) => answer.status)).toEqual([200, 200]);
  });
});
