import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { GatedChain } from '../support/gated-chain.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { queryDatabase } from './query-database.js';

const SHARE = 3;
const CHAIN = 8;

describe('who has contract accounts asked', () => {
  let gated: GatedChain;
  let suite: RunningSuite;
  let accountId: string;
  const owner = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    gated = await GatedChain.start();
    suite = await runningSuite({
      without: ['token-gating'],
      rpcUrls: { [gated.chain.chainId]: gated.node.url },
      env: {
        HOLDER_CONTRACT_CHECKS: String(SHARE),
        CHAIN_CONTRACT_CHECKS: String(CHAIN),
        RPC_TIMEOUT_MS: '9000',
        ADDRESS_REQUESTS_PER_SECOND: '1000',
        TRUSTED_PROXIES: '127.0.0.1',
      },
    });
    const { address } = await gated.chain.deploy('SignerWallet', [owner.address]);
    accountId = `eip155:${gated.chain.chainId}:${address}`;
  }, 60_000);

  afterEach(() => {
    gated.release();
  });

  afterAll(async () => {
    await suite.stop();
    await gated.stop();
  });

  type Attempt = () => Promise<Response>;

  /** Somebody at our login page, ready to send the signature. */
  const atThePages = async (address: string): Promise<Attempt> => {
    const browser = new OAuthBrowser(suite.gatewayUrl);
    const headers = { 'x-forwarded-for': address, 'content-type': 'application/json' };
    const csrf = csrfOf(await (await browser.open('/login', { headers })).text());
    const send = (path: string, body: object) =>
      browser.open(path, { method: 'POST', headers, body: JSON.stringify({ csrf, accountId, ...body }) });
    const challenge = await send('/login/challenges', {});
    const { requestId, message } = (await challenge.json()) as { requestId: string; message: string };
    const signature = await owner.signMessage({ message });
    return () => send('/login/sessions', { requestId, signatureType: 'eip191', signature });
  };

  /** A credential of this client application, ready to be shown. */
  const at = async (application: WalletAtTheGateway): Promise<Attempt> => {
    const authorization = await application.credential(accountId);
    return () => application.me({ authorization });
  };
  const application = async () => WalletAtTheGateway.of(suite, await suite.createClient(), owner);
  /** One more of the same plan holder. */
  const another = async ({ client }: WalletAtTheGateway) => {
    const sibling = await application();
    await queryDatabase(
      suite.databaseUrl,
      `UPDATE identity.client_applications SET owner_id =
         (SELECT owner_id FROM identity.client_applications WHERE id = $1) WHERE id = $2`,
      [client.clientId, sibling.client.clientId],
    );
    return sibling;
  };

  /** All at once, on nodes that take their time. @returns their answers, when so many are asked and the rest is refused */
  const slowly = async (attempts: readonly Attempt[], underWay: number) => {
    const before = gated.heldBack;
    const answers = attempts.map((attempt) => attempt());
    const refused: number[] = [];
    for (const answer of answers) void answer.then(({ status }) => refused.push(status));
    await until('the rest is refused', () => refused.length === attempts.length - underWay);
    expect(refused.every((status) => status === 429)).toBe(true);
    await until('nodes are asked', () => gated.heldBack - before === underWay);
    return answers;
  };

  const statuses = async (answers: readonly Promise<Response>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).sort();
  const allIn = (answers: readonly unknown[], underWay: number) =>
    answers.map((_, n) => (n < underWay ? 200 : 429));

  it('has one share at an address, and other addresses at our pages have theirs', async () => {
    const one = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => atThePages(`2001:db8:7:7::${String(n)}`)));
    const other = await atThePages('2001:db8:7:8::1');
    const shop = await at(await application());
    gated.hold();
    const theirs = await slowly(one, SHARE);
    const others = await slowly([other, shop], 2);
    gated.release();
    expect(await statuses(others)).toEqual([200, 200]);
    expect(await statuses(theirs)).toEqual(allIn(theirs, SHARE));
  });

  it('has one share, with however many client applications', async () => {
    const first = await application();
    const all = [first, await another(first), await another(first)];
    const attempts = await Promise.all([...all, ...all].map(at));
    const somebody = await at(await application());
    const page = await atThePages('198.51.100.1');
    gated.hold();
    const theirs = await slowly(attempts, SHARE);
    const others = await slowly([somebody, page], 2);
    gated.release();
    expect(await statuses(others)).toEqual([200, 200]);
    expect(await statuses(theirs)).toEqual(allIn(theirs, SHARE));
  });

  it('has no more of a chain than is left for all others', async () => {
    const [one, two, late] = [await application(), await application(), await application()];
    const many = async (client: WalletAtTheGateway) => [await at(client), await at(client), await at(client)];
    const [ofOne, ofTwo, ofLate] = [await many(one), await many(two), await many(late)];
    const newcomer = await atThePages('198.51.100.2');
    gated.hold();
    const theirs = [
      ...(await slowly(ofOne, SHARE)),
      ...(await slowly(ofTwo, SHARE)),
      ...(await slowly(ofLate, 1)),
    ];
    const [answer] = await slowly([newcomer], 1);
    expect(gated.heldBack).toBe(CHAIN);
    gated.release();
    expect((await answer)?.status).toBe(200);
    expect(await statuses(theirs)).toEqual(allIn(theirs, CHAIN - 1));
  });
});
