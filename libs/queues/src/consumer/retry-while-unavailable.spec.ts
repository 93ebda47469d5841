import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/common';
import type { Job } from 'bullmq';
import { RetryLaterError } from './consumer.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

const HOUR_MS = 3_600_000;
/** A job of which only the age is read. */
const createJob = (ageHours: number) => ({ timestamp: Date.now() - ageHours * HOUR_MS }) as Job;
const failWith = (status: 500 | 503) => () =>
  Promise.reject(new AppError('SomeError', status, 'Expected failure', { code: 'expected_failure' }));

describe('retryWhileUnavailable', () => {
  it('retryWhileUnavailable: delays the job when a dependency is unavailable', async () => {
    const retried = retryWhileUnavailable(createJob(23), failWith(503));
    await expect(retried).rejects.toBeInstanceOf(RetryLaterError);
  });

  it('retryWhileUnavailable: counts attempts of a job that is older than a day', async () => {
    const failed = retryWhileUnavailable(createJob(25), failWith(503));
    await expect(failed).rejects.toMatchObject({ statusCode: 503 });
  });

  it('retryWhileUnavailable: counts every other failure as an attempt', async () => {
    const failed = retryWhileUnavailable(createJob(0), failWith(500));
    await expect(failed).rejects.toMatchObject({ statusCode: 500 });
  });

  it('retryWhileUnavailable: resolves when the work succeeds', async () => {
    await expect(retryWhileUnavailable(createJob(0), () => Promise.resolve())).resolves.toBeUndefined();
  });
});
