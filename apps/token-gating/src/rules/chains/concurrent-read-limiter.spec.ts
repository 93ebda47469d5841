import { expect, it } from '@jest/globals';
import { ConcurrentReadLimiter } from './concurrent-read-limiter.js';

const MAX_READS = 40_000;

it('ConcurrentReadLimiter: gives a tenant half, and all tenants together the whole', () => {
  const limiter = new ConcurrentReadLimiter(MAX_READS);
  expect(limiter.acquire('one', 20_000)).toBe(true);
  expect(limiter.acquire('one', 501)).toBe(false);
  expect(limiter.acquire('other', 20_000)).toBe(true);
  expect(limiter.acquire('third', 501)).toBe(false);
  limiter.release('one', 20_000);
  expect(limiter.acquire('one', 501)).toBe(true);
});

it('ConcurrentReadLimiter: keeps a reserve for reads that fit one batch, a quarter of it for each tenant', () => {
  const limiter = new ConcurrentReadLimiter(MAX_READS);
  const acquireSmall = (tenantId: string): number => {
    let acquired = 0;
    while (limiter.acquire(tenantId, 500)) acquired += 500;
    return acquired;
  };
  for (const tenantId of ['one', 'other']) limiter.acquire(tenantId, 20_000);
  const reads = ['one', 'other', 'third', 'fourth'].map(acquireSmall);
  expect(reads).toEqual([2_500, 2_500, 5_000, 0]);
});
