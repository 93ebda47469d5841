import { describe, expect, it } from '@jest/globals';
import type { RuleServices } from '../rule-services.js';
import { MetadataFetchBudget } from '../../metadata/metadata-failure.js';
import { judgeTraits } from './judge-traits.js';
import { loadTraits } from './load-traits.js';

const held = { tokens: [1n, 2n, 3n].map((id) => ({ id, amount: 1n })), unread: undefined };
const uris = held.tokens.map(({ id }) => ({ ok: true as const, value: String(id) }));
const never = new Promise<never>(() => undefined);

function load(min: bigint, signal: AbortSignal, matches: (text: string) => Promise<boolean>) {
  const services = {
    metadata: { find: (uri: string) => Promise.resolve({ ok: true, text: uri }) },
    expressions: { matches: (_: unknown, { text }: { text: string }) => matches(text) },
  } as unknown as RuleServices; // only these methods are called
  const context = {
    signal,
    tenantId: 'tenant',
    lane: 'foreground',
    fetchBudget: new MetadataFetchBudget(),
  } as const;
  const judge = (outcomes: Parameters<typeof judgeTraits>[1]) =>
    judgeTraits(held, outcomes, { min, max: undefined });
  return loadTraits({ query: 'true', variables: {}, held, uris, judge }, services, context);
}

describe('loadTraits', () => {
  const { signal } = new AbortController();

  it('loadTraits: ends as soon as the verdict is certain, whatever does not end', async () => {
    const verdict = await load(1n, signal, (text) => (text === '1' ? Promise.resolve(true) : never));
    expect(verdict).toMatchObject({ kind: 'granted', comparison: { quantity: { known: 1n } } });
  });

  it.each([true, false])('is undetermined once the signal aborts; before: %s', async (isAborted) => {
    const controller = new AbortController();
    if (isAborted) controller.abort();
    const judged = load(2n, controller.signal, (text) => {
      if (text === '1') return Promise.resolve(true);
      controller.abort();
      return never;
    });
    expect(await judged).toMatchObject({ failure: { code: 'metadata_timeout', permanent: false } });
  });

  it('loadTraits: rejects on an internal error', async () => {
    await expect(load(1n, signal, () => Promise.reject(new Error('internal')))).rejects.toThrow('internal');
  });
});
