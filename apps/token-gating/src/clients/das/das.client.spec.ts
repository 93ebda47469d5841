import { SafeHttpError, type SafeHttpClient, type TextResponse } from '@app/http';
import type { ServiceContext } from '@app/service';
import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { DasClient } from './das.client.js';
import type { SolanaCoreConfig } from './solana-core.config.js';

const request = { signal: new AbortController().signal, tenantId: 'tenant', lane: 'foreground' } as const;

/** A client of an indexer that gives this answer, and the bodies of its requests. */
function createClient(answer: Partial<TextResponse> | SafeHttpError) {
  const bodies: unknown[] = [];
  const http: Pick<SafeHttpClient, 'postText'> = {
    postText: (_url, body) => {
      bodies.push(JSON.parse(body));
      if (answer instanceof SafeHttpError) return Promise.reject(answer);
      return Promise.resolve({ status: 200, retryAfterMs: undefined, text: '', ...answer });
    },
  };
  const config = { settings: { DAS_REQUESTS_PER_MINUTE: 6_000 } } as SolanaCoreConfig;
  const context = { metrics: { registry: new Registry() } } as ServiceContext;
  const client = new DasClient(config, http as SafeHttpClient, context);
  return { fetch: (page = 1) => client.fetchAssets('http://indexer', 'owner', page, request), bodies };
}

const toList = (count: number, more: object = {}): string =>
  JSON.stringify({
    result: {
      ...{ total: count, limit: 500, page: 1 },
      items: Array.from({ length: count }, (_, index) => ({
        ...{ id: String(index), interface: 'MplCoreAsset', ownership: { owner: 'owner' } },
      })),
      ...more,
    },
  });
const toError = (code: number): string => JSON.stringify({ error: { code, message: 'no' } });

describe('DasClient', () => {
  it('DasClient: asks for pages of an owner', async () => {
    const { fetch, bodies } = createClient({ text: toList(0) });
    await fetch(3);
    expect(bodies).toMatchObject([
      { method: 'getAssetsByOwner', params: { ownerAddress: 'owner', page: 3, limit: 500 } },
    ]);
  });

  it.each<[string, string, boolean]>([
    ['empty', toList(0), true],
    ['short', toList(249), true],
    ['full', toList(500), false],
    ['full but for assets that the indexer left out', toList(480), false],
    ['full for an indexer with smaller pages', toList(100, { limit: 100 }), false],
    ['of an indexer that names no limit', toList(100, { limit: undefined }), true],
  ])('DasClient: takes a page that is %s for the last one or not', async (_, text, isLast) => {
    const { fetch } = createClient({ text });
    await expect(fetch()).resolves.toMatchObject({ isLast });
  });

  it.each<[string, Partial<TextResponse> | SafeHttpError, string]>([
    ['status 500', { status: 500 }, 'indexer_unavailable'],
    ['status 401', { status: 401 }, 'indexer_unavailable'],
    ['status 429', { status: 429 }, 'indexer_limit_exceeded'],
    ['an error', { text: toError(-32_000) }, 'indexer_unavailable'],
    ['the error of a rate limit', { text: toError(-32_429) }, 'indexer_limit_exceeded'],
    ['no JSON', { text: '<html>' }, 'indexer_malformed_answer'],
    ['another shape', { text: '{"result":{"items":[{"id":1}]}}' }, 'indexer_malformed_answer'],
    ['more than was asked for', { text: toList(501) }, 'indexer_malformed_answer'],
    ['nothing in time', new SafeHttpError('timeout', 'late'), 'indexer_unavailable'],
    ['compressed bytes', new SafeHttpError('bad_answer', 'compressed'), 'indexer_malformed_answer'],
  ])('DasClient: fails, and may be retried, where the indexer answers with %s', async (_, answer, code) => {
    await expect(createClient(answer).fetch()).resolves.toMatchObject({ ok: false, permanent: false, code });
  });

  it('DasClient: says that a page is too large', async () => {
    const { fetch } = createClient(new SafeHttpError('too_large', 'the answer is too large'));
    await expect(fetch()).resolves.toBe('too_large');
  });

  it('DasClient: sends nothing while a rate limit lasts', async () => {
    const { fetch, bodies } = createClient({ status: 429, retryAfterMs: 30_000 });
    await fetch();
    const waiting = fetch();
    const isWaiting = Symbol('waiting');
    const timer = new Promise((resolve) => setImmediate(resolve, isWaiting));
    expect(await Promise.race([waiting, timer])).toBe(isWaiting);
    expect(bodies).toHaveLength(1);
  });
});
