import type { Principal } from '@app/auth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { type Receiver, receiver } from '../support/receiver.js';
import { selfSigned } from '../support/self-signed.js';
import { client, GatingApp } from './gating-app.js';

const holder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const solana = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
const other: Principal = { ...client, client: { id: 'client_2', ownerId: 'owner_2', plan: 'free' } };
const folder = mkdtempSync(join(tmpdir(), 'token-lists-'));

let chain: LocalChain;
let gating: GatingApp;
let lists: Receiver;
let contract: DeployedContract;
let asked: string[];
let answer: RequestListener;
let count = 0;

beforeAll(async () => {
  const identity = selfSigned('127.0.0.1');
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, identity.cert);
  lists = await receiver((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  }, identity);
  chain = await LocalChain.start();
  contract = await chain.deploy('DemoERC721', ['Demo', 'DEMO']);
  await chain.mint(contract, holder, 1n);
  await chain.mint(contract, holder, 42n);
  gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: ca,
  });
});

afterAll(async () => {
  await gating.stop();
  await lists.stop();
  await chain.stop();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  asked = [];
});

const text =
  (body: string): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', 'text/plain').end(body);
  };
/** A URL that is not in the cache. */
const freshUrl = (): string => `https://127.0.0.1:${lists.port}/${(count += 1)}`;
const rule = (tokenId: string, fields = {}) => ({
  type: 'ERC721',
  chainId: chain.chainId,
  contractAddress: contract.address,
  tokenId,
  ...fields,
});

describe('a list of token ids at a URL', () => {
  it('list of token ids at a URL: gives the same verdicts as inline ids', async () => {
    answer = text('7,1\n\n40-45\n');
    const url = freshUrl();
    expect(await gating.granted(holder, rule(url, { minToken: '2' }), rule(url, { minToken: '3' }))).toEqual([
      true,
      false,
    ]);
    answer = text('2\r\n3-41');
    expect(await gating.granted(holder, rule(freshUrl()))).toEqual([false]);
  });

  it('list of token ids at a URL: is fetched once for concurrent checks, and cached', async () => {
    answer = (request, response) => {
      setTimeout(() => {
        text('1')(request, response);
      }, 100);
    };
    const url = freshUrl();
    const checks = await Promise.all(
      Array.from({ length: 10 }, () => gating.granted(holder, rule(url), rule(url))),
    );
    expect(checks).toEqual(checks.map(() => [true, true]));
    expect(await gating.granted(holder, rule(url))).toEqual([true]);
    expect(asked).toHaveLength(1);
  });

  it('list of token ids at a URL: is not fetched for an account of another chain family', async () => {
    answer = text('1');
    expect(await gating.granted(solana, rule(freshUrl()))).toEqual([false]);
    expect(asked).toEqual([]);
  });

  const redirect: RequestListener = (_request, response) => {
    response.writeHead(302, { location: '/elsewhere' }).end();
  };
  const status =
    (code: number): RequestListener =>
    (_request, response) => {
      response.writeHead(code).end('1');
    };
  it.each<[string, string, boolean, RequestListener]>([
    ['is unavailable', 'TokenListUnavailableError', true, status(503)],
    ['is rate limited', 'TokenListUnavailableError', true, status(429)],
    ['hangs up', 'TokenListUnavailableError', true, (request) => request.socket.destroy()],
    ['answers 404', 'TokenListRefusedError', false, status(404)],
    ['redirects', 'TokenListRefusedError', false, redirect],
    ['returns HTML', 'MalformedTokenListError', false, text('<html></html>')],
    ['returns an empty body', 'MalformedTokenListError', false, text('')],
    ['returns too many ids', 'MalformedTokenListError', false, text('0-10000')],
    ['returns too many bytes', 'MalformedTokenListError', false, text('1\n'.repeat(600_000))],
  ])(
    'list of token ids at a URL whose server %s: leaves its rule undetermined',
    async (_, name, retryable, listener) => {
      answer = listener;
      const body = { account: holder, rules: [rule(freshUrl()), rule('1', { roleId: 'written' })] };
      const lenient = await gating.check(body, { Prefer: 'handling=lenient' });
      expect(lenient.body).toEqual({
        roles: [
          { id: '001', granted: false },
          { id: 'written', granted: true },
        ],
        errors: [{ roleId: '001', rule: 0, name, message: expect.any(String), retryable }],
      });
      expect(lenient.status).toBe(200);
      expect((await gating.check(body)).status).toBe(retryable ? 503 : 200);
    },
  );

  it('list of token ids at a URL: times out after five seconds', async () => {
    answer = () => undefined;
    const { body } = await gating.check(
      { account: holder, rules: [rule(freshUrl())] },
      { Prefer: 'handling=lenient' },
      other, // Afterwards the server rests for this tenant.
    );
    expect(body).toMatchObject({ errors: [{ name: 'TokenListTimeoutError', retryable: true }] });
    answer = text('1');
    const resting = await gating.check({ account: holder, rules: [rule(freshUrl())] }, {}, other);
    expect(resting.body).toMatchObject({
      error: { details: { errors: [{ name: 'TokenListUnavailableError', retryable: true }] } },
    });
    expect(await gating.granted(holder, rule(freshUrl()))).toEqual([true]);
  });

  it('list of token ids at a URL: counts towards the read budget of the request', async () => {
    answer = text('0-9999');
    const [first, second] = [freshUrl(), freshUrl()];
    const { body } = await gating.check({
      account: holder,
      rules: [rule(first, { roleId: 'a' }), rule('5', { roleId: 'b' }), rule(second, { roleId: 'c' })],
    });
    expect(body).toMatchObject({
      roles: [
        { id: 'a', granted: true },
        { id: 'b', granted: false },
        { id: 'c', granted: false },
      ],
      errors: [{ roleId: 'c', rule: 2, name: 'MalformedTokenListError', retryable: false }],
    });
  });

  it.each([
    'https://10.0.0.1/ids.txt',
    'https://169.254.169.254/latest/meta-data/',
    'https://user@127.0.0.1/',
    'https://127.1/',
    'https://127.0.0.1:6379/',
  ])('list of token ids at a URL: is rejected at %s', async (url) => {
    const answered = await gating.check({ account: holder, rules: [rule('1'), rule(url)] });
    expect(answered.status).toBe(400);
    expect(answered.body).toMatchObject({
      error: { details: { code: 'url_invalid', issues: [{ path: 'rules.1.tokenId' }] } },
    });
  });

  it('list of token ids at a URL: is one of at most twenty per request', async () => {
    answer = text('1');
    const rules = Array.from({ length: 21 }, () => rule(freshUrl()));
    const answered = await gating.check({ account: holder, rules });
    expect([answered.status, asked]).toEqual([400, []]);
    expect((await gating.check({ account: holder, rules: rules.slice(1) })).status).toBe(200);
  });
});
