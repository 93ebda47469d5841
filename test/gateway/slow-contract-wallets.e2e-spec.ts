import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { envelopeOf } from '../support/envelope.js';
import { GatedChain } from '../support/gated-chain.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { waitUntilRejected } from './gateway-with-tokens.js';

const SHARE = 5;

describe('slow contract wallets', () => {
  let gated: GatedChain;
  let suite: RunningSuite;
  let accountId: string;
  let wallet: WalletAtTheGateway;

  beforeAll(async () => {
    gated = await GatedChain.start();
    suite = await runningSuite({
      without: ['token-gating'],
      rpcUrls: { [gated.chain.chainId]: gated.node.url },
      env: {
        // Half of it is for users, who present credentials.
        TENANT_CONTRACT_CHECKS: String(2 * SHARE),
        RPC_TIMEOUT_MS: '9000',
        ADDRESS_REQUESTS_PER_SECOND: '1000',
      },
    });
    wallet = await WalletAtTheGateway.start(suite);
    const { address } = await gated.chain.deploy('SignerWallet', [wallet.owner.address]);
    accountId = `eip155:${gated.chain.chainId}:${address}`;
  });

  afterAll(async () => {
    gated.release();
    await suite.stop();
    await gated.stop();
  });

  const documentOf = (gatewayUrl: string, { apiKey }: Client) =>
    fetch(`${gatewayUrl}/openapi.json`, { headers: { 'X-API-Key': apiKey } });

  /** Sends requests at once, each with a new signature. @returns the pending responses once nodes are working on some */
  const slowly = async (gatewayUrl: string, count: number, inProgress: number) => {
    const credentials = await Promise.all(Array.from({ length: count }, () => wallet.credential(accountId)));
    gated.hold();
    const answers = credentials.map((authorization) =>
      fetch(`${gatewayUrl}/account/me`, { headers: { authorization } }),
    );
    await until('nodes are working', () => gated.heldBack === inProgress);
    return answers;
  };

  it('slow contract wallets: use at most the share of their tenant; other requests get 429', async () => {
    const answers = await slowly(suite.gatewayUrl, 3 * SHARE, SHARE);
    let answered = 0;
    for (const answer of answers) void answer.then(() => (answered += 1));
    await until('the others are answered', () => answered === 2 * SHARE);
    gated.release();
    const all = await Promise.all(answers);
    expect(all.filter(({ status }) => status === 200)).toHaveLength(SHARE);
    const [rejected] = all.filter(({ status }) => status === 429);
    if (!rejected) throw new Error('No request was rejected');
    expect([rejected.headers.get('retry-after'), (await envelopeOf(rejected)).details.code]).toEqual([
      '2',
      'contract_check_limit_exceeded',
    ]);
  });

  it('do not delay others: revocations apply and new keys are found', async () => {
    const identity = await suite.another('identity', {
      TENANT_CONTRACT_CHECKS: '100',
      CHAIN_CONTRACT_CHECKS: '48',
    });
    const gateway = await suite.another('gateway', { IDENTITY_URL: identity.url });
    const doomed = await suite.createClient();
    expect((await documentOf(gateway.url, doomed)).status).toBe(200);
    const answers = await slowly(gateway.url, 80, 24);
    await suite.clientCommand(['revoke-key', doomed.apiKey]);
    expect(await waitUntilRejected(() => documentOf(gateway.url, doomed))).toBeLessThan(5_000);
    expect((await documentOf(gateway.url, await suite.createClient())).status).toBe(200);
    const late = await suite.another('gateway', { IDENTITY_URL: identity.url });
    expect((await documentOf(late.url, doomed)).status).toBe(401);
    gated.release();
    await Promise.all(answers);
  });
});
