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
const MARK = 'http://localhost:3000/#credential';
const A_MINUTE = 30;

describe('checks of contract accounts', () => {
  let gated: GatedChain;
  let world: SignInWorld;
  let accountId: string;
  const owner = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    gated = await GatedChain.start();
    world = await SignInWorld.start({
      RPC_URL_31337: gated.node.url,
      HOLDER_CONTRACT_CHECKS: '2',
      CHAIN_CONTRACT_CHECKS: '3',
      HOLDER_CONTRACT_CHECKS_A_MINUTE: String(A_MINUTE),
    });
    const { address } = await gated.chain.deploy('SignerWallet', [owner.address]);
    accountId = `eip155:${gated.chain.chainId}:${address}`;
  });

  afterAll(async () => {
    await world.stop();
    await gated.stop();
  });

  const shop = () => world.client([ORIGIN]);

  const credential = async (client: Principal) => {
    const { body } = await world.challenge(client, { uri: ORIGIN, accountId, resources: [MARK] });
    const { message } = body;
    return { message, signature: await owner.signMessage({ message }) };
  };

  const check = (question: { message: string; signature: Hex }) =>
    world.identity.post('/internal/ethereum-credentials', GATEWAY_ITSELF, question);

  const refusalOf = async (response: Response) => {
    const { name, details } = await envelopeOf(response);
    return [response.status, name, details.code, response.headers.get('retry-after')];
  };
  const refused = [429, 'TooManyRequestsError', 'contract_check_limit_exceeded', '2'];

  /** Of the same message: nobody signed it like this. */
  const wrong = (question: { message: string; signature: Hex }, n: number) => ({
    ...question,
    signature: `0x${n.toString(16).padStart(16, '0')}${question.signature.slice(18)}` as Hex,
  });

  it('are under way for one client application up to its share, and others have theirs', async () => {
    const [one, other, third] = [await shop(), await shop(), await shop()];
    const mine = [await credential(one), await credential(one)];
    const tooMany = await credential(one);
    const [theirs, late] = [await credential(other), await credential(third)];
    gated.hold();
    const underWay = mine.map(check);
    await until('both are asked', () => gated.heldBack === 2);
    expect(await refusalOf(await check(tooMany))).toEqual(refused);
    const others = check(theirs);
    await until('the other is asked', () => gated.heldBack === 3);
    // All together have filled what the chain has.
    expect(await refusalOf(await check(late))).toEqual(refused);
    gated.release();
    for (const answer of await Promise.all([...underWay, others]))
      expect(await answer.json()).toEqual({ isValid: true });
    for (const question of [tooMany, late])
      expect(await (await check(question)).json()).toEqual({ isValid: true });
    const metrics = await (await fetch(`${world.app.managementUrl}/metrics`)).text();
    for (const limit of ['tenant_concurrent', 'chain_concurrent'])
      expect(metrics).toMatch(
        new RegExp(String.raw`^identity_contract_checks_refused_total\{.*limit="${limit}".*\} 1$`, 'm'),
      );
  });

  it('are refused again for a minute without a question to a node, in any spelling', async () => {
    const bad = wrong(await credential(await shop()), 1);
    expect(await (await check(bad)).json()).toEqual({ isValid: false });
    const before = gated.node.count('eth_call');
    const upper: Hex = `0x${bad.signature.slice(2).toUpperCase()}`;
    for (const signature of [bad.signature, upper, bad.signature])
      expect(await (await check({ ...bad, signature })).json()).toEqual({ isValid: false });
    expect(gated.node.count('eth_call')).toBe(before);
  });

  it('are so many in a minute for one client application, whatever is signed', async () => {
    const [one, other] = [await shop(), await shop()];
    const question = await credential(one);
    const statuses: number[] = [];
    const before = gated.node.count('eth_call');
    for (let n = 0; n < A_MINUTE + 10; n += 1) {
      const response = await check(wrong(question, n));
      statuses.push(response.status);
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      await response.body?.cancel();
    }
    // One more comes free every two seconds.
    expect(statuses.slice(0, A_MINUTE)).toEqual(Array.from({ length: A_MINUTE }, () => 200));
    expect(statuses).toContain(429);
    expect(gated.node.count('eth_call') - before).toBe(statuses.filter((status) => status === 200).length);
    expect(await (await check(await credential(other))).json()).toEqual({ isValid: true });
  });

  it('count where a wallet signs in, too, and plain keys do not', async () => {
    const client = await shop();
    const question = await credential(client);
    let n = 0;
    // Nothing comes free for more than a second.
    await until('its minute is full', async () => {
      const response = await check(wrong(question, n++));
      await response.body?.cancel();
      return response.headers.get('retry-after') === '2';
    });
    const login = async (account: string) => {
      const { body } = await world.challenge(client, { uri: ORIGIN, accountId: account });
      const signature = await owner.signMessage({ message: body.message });
      return world.login(client, { requestId: body.requestId, signature });
    };
    const { status, error } = await login(accountId);
    expect([status, error?.details.code]).toEqual([429, 'contract_check_limit_exceeded']);
    expect((await login(owner.address)).status).toBe(200);
  });
});
