import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/common';
import type { Job } from 'bullmq';
import { RetryLaterError } from './consumer.errors.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

const HOUR = 3_600_000;
// Only its age is looked at.
const jobOf = (hoursAgo: number) => ({ timestamp: Date.now() - hoursAgo * HOUR }) as Job;
const failWith = (status: 500 | 503) => () =>
  Promise.reject(new AppError('SomeError', status, 'as told', { code: 'as_told' }));

describe('a job whose dependency is away', () => {
  it('comes back without an attempt spent', async () => {
    await expect(retryWhileUnavailable(jobOf(23), failWith(503))).rejects.toBeInstanceOf(RetryLaterError);
  });

  it('spends attempts when it is a day old', async () => {
    await expect(retryWhileUnavailable(jobOf(25), failWith(503))).rejects.toMatchObject({ statusCode: 503 });
  });

  it('spends one on every other failure', async () => {
    await expect(retryWhileUnavailable(jobOf(0), failWith(500))).rejects.toMatchObject({ statusCode: 500 });
  });

  it('is done when its work is', async () => {
    await expect(retryWhileUnavailable(jobOf(0), () => Promise.resolve())).resolves.toBeUndefined();
  });
});
