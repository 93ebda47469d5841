import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ChatUser } from '../pages/chat-user.js';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { GatedChain } from '../support/gated-chain.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';
import { WalletAtTheGateway } from '../support/wallet-at-the-gateway.js';
import { csrfOf, OAuthBrowser } from './oauth-browser.js';
import { queryDatabase } from './query-database.js';

const TENANT_LIMIT = 6;
/** Half of it: users present credentials. */
const USERS_LIMIT = 3;
const CHAIN_LIMIT = 8;
/** The half of the chain that one address may take. */
const PAGES_LIMIT = 4;

describe('budgets for contract-wallet checks', () => {
  let gated: GatedChain;
  let suite: RunningSuite;
  let accountId: string;
  const owner = privateKeyToAccount(generatePrivateKey());

  beforeAll(async () => {
    gated = await GatedChain.start();
    suite = await runningSuite({
      rpcUrls: { [gated.chain.chainId]: gated.node.url },
      env: {
        TENANT_CONTRACT_CHECKS: String(TENANT_LIMIT),
        CHAIN_CONTRACT_CHECKS: String(CHAIN_LIMIT),
        RPC_TIMEOUT_MS: '9000',
        ADDRESS_REQUESTS_PER_SECOND: '1000',
        TRUSTED_PROXIES: '127.0.0.1',
      },
    });
    const { address } = await gated.chain.deploy('SignerWallet', [owner.address]);
    accountId = `eip155:${gated.chain.chainId}:${address}`;
  });

  afterEach(() => {
    gated.release();
  });

  afterAll(async () => {
    await suite.stop();
    await gated.stop();
  });

  type Attempt = () => Promise<Response>;

  /** A login on the login page from this IP address, up to sending the signature. */
  const startPageLogin = async (address: string): Promise<Attempt> => {
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

  /** A request with a new credential for this client application, not sent yet. */
  const prepareRequest = async (application: WalletAtTheGateway): Promise<Attempt> => {
    const authorization = await application.credential(accountId);
    return () => application.me({ authorization });
  };
  const application = async () => WalletAtTheGateway.of(suite, await suite.createClient(), owner);
  /** Another client application of the same tenant. */
  const createSibling = async ({ client }: { client: { clientId: string } }) => {
    const sibling = await application();
    await queryDatabase(
      suite.databaseUrl,
      `UPDATE identity.client_applications SET owner_id =
         (SELECT owner_id FROM identity.client_applications WHERE id = $1) WHERE id = $2`,
      [client.clientId, sibling.client.clientId],
    );
    return sibling;
  };

  /** Sends all at once while nodes are blocked. @returns the pending responses once `running` checks wait and the rest is 429 */
  const sendAll = async (attempts: readonly Attempt[], running: number) => {
    const before = gated.heldBack;
    const answers = attempts.map((attempt) => attempt());
    const refused: number[] = [];
    for (const answer of answers) void answer.then(({ status }) => refused.push(status));
    await until('the rest is refused', () => refused.length === attempts.length - running);
    expect(refused.every((status) => status === 429)).toBe(true);
    await until('the checks wait for nodes', () => gated.heldBack - before === running);
    return answers;
  };

  const statuses = async (answers: readonly Promise<Response>[]) =>
    (await Promise.all(answers)).map(({ status }) => status).sort();
  const expectedStatuses = (answers: readonly unknown[], running: number) =>
    answers.map((_, n) => (n < running ? 200 : 429));

  it('budgets for contract-wallet checks: count login pages per IP address', async () => {
    const one = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) => startPageLogin(`2001:db8:7:7::${String(n)}`)),
    );
    const other = await startPageLogin('2001:db8:7:8::1');
    const shop = await prepareRequest(await application());
    gated.hold();
    const theirs = await sendAll(one, PAGES_LIMIT);
    const others = await sendAll([other, shop], 2);
    gated.release();
    expect(await statuses(others)).toEqual([200, 200]);
    expect(await statuses(theirs)).toEqual(expectedStatuses(theirs, PAGES_LIMIT));
  });

  it('budgets for contract-wallet checks: count the users of all client applications of a tenant together', async () => {
    const first = await application();
    const all = [first, await createSibling(first), await createSibling(first)];
    const attempts = await Promise.all([...all, ...all].map(prepareRequest));
    const otherTenant = await prepareRequest(await application());
    const page = await startPageLogin('198.51.100.1');
    gated.hold();
    const theirs = await sendAll(attempts, USERS_LIMIT);
    const others = await sendAll([otherTenant, page], 2);
    gated.release();
    expect(await statuses(others)).toEqual([200, 200]);
    expect(await statuses(theirs)).toEqual(expectedStatuses(theirs, USERS_LIMIT));
  });

  /** A login through an application with its API key, up to sending the signature. */
  const prepareLogin = async (shop: WalletAtTheGateway): Promise<Attempt> => {
    const { requestId, signature } = await shop.challenge({ accountId });
    const headers = { ...shop.key, 'content-type': 'application/json' };
    const body = JSON.stringify({ requestId, signature });
    return () => fetch(`${suite.gatewayUrl}/ethereum-login/id-tokens`, { method: 'POST', headers, body });
  };

  it('T66: budgets for contract-wallet checks: leave the logins of an application a share that its users cannot take', async () => {
    const [shop, other] = [await application(), await application()];
    const users = await Promise.all(Array.from({ length: 6 }, () => prepareRequest(shop)));
    const login = await prepareLogin(shop);
    const otherTenant = await prepareRequest(other);
    gated.hold();
    const theirs = await sendAll(users, USERS_LIMIT);
    const others = await sendAll([login, otherTenant], 2);
    gated.release();
    expect(await statuses(others)).toEqual([200, 200]);
    expect(await statuses(theirs)).toEqual(expectedStatuses(theirs, USERS_LIMIT));
  });

  it('T71: budgets for contract-wallet checks: leave the logins of an application a share that its chat users cannot take on their pages', async () => {
    const inDatabase = async (sql: string) => void (await queryDatabase(suite.databaseUrl, sql));
    const user = await ChatUser.create({ suite, inDatabase });
    const preparePage = async (): Promise<Attempt> => {
      const { message, path } = await user.newChallenge();
      const browser = new OAuthBrowser(suite.gatewayUrl);
      const csrf = csrfOf(await (await browser.open(path)).text());
      const signature = await owner.signMessage({ message });
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ csrf, accountId, signature });
      return () => browser.open(`${path}/wallets`, { method: 'POST', headers, body });
    };
    const shop = await createSibling({ client: user });
    const pages = await Promise.all(Array.from({ length: 6 }, preparePage));
    const login = await prepareLogin(shop);
    gated.hold();
    const theirs = await sendAll(pages, USERS_LIMIT);
    const others = await sendAll([login], 1);
    gated.release();
    expect(await statuses(others)).toEqual([200]);
    expect(await statuses(theirs)).toEqual(expectedStatuses(theirs, USERS_LIMIT));
  });

  it('budgets for contract-wallet checks: leave a part of the chain budget to other tenants', async () => {
    const [one, two, late] = [await application(), await application(), await application()];
    const many = async (client: WalletAtTheGateway) => [
      await prepareRequest(client),
      await prepareRequest(client),
      await prepareRequest(client),
    ];
    const [ofOne, ofTwo, ofLate] = [await many(one), await many(two), await many(late)];
    const newcomer = await startPageLogin('198.51.100.2');
    gated.hold();
    const theirs = [
      ...(await sendAll(ofOne, USERS_LIMIT)),
      ...(await sendAll(ofTwo, USERS_LIMIT)),
      ...(await sendAll(ofLate, 1)),
    ];
    const [answer] = await sendAll([newcomer], 1);
    expect(gated.heldBack).toBe(CHAIN_LIMIT);
    gated.release();
    expect((await answer)?.status).toBe(200);
    expect(await statuses(theirs)).toEqual(expectedStatuses(theirs, CHAIN_LIMIT - 1));
  });
});
