import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { hasFinishedWithin, TimeoutError, withTimeout } from './with-timeout.js';

const pending = new Promise<never>(() => undefined);

describe('withTimeout', () => {
  it('withTimeout: returns the result of the work', async () => {
    await expect(withTimeout(1_000, Promise.resolve('done'))).resolves.toBe('done');
  });

  it('withTimeout: rejects with the error of the work', async () => {
    await expect(withTimeout(1_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  });

  it('withTimeout: rejects with a TimeoutError when the time is up', async () => {
    await expect(withTimeout(5, pending)).rejects.toThrow(TimeoutError);
  });

  it('withTimeout: ignores a rejection that comes after the timeout', async () => {
    const late = sleep(10).then(() => Promise.reject(new Error('late')));
    await expect(withTimeout(1, late)).rejects.toThrow(TimeoutError);
    await sleep(20);
  });
});

describe('hasFinishedWithin', () => {
  it('hasFinishedWithin: is false after the timeout, true for finished work', async () => {
    await expect(hasFinishedWithin(5, pending)).resolves.toBe(false);
    await expect(hasFinishedWithin(1_000, Promise.resolve())).resolves.toBe(true);
  });

  it('hasFinishedWithin: is false as soon as the signal aborts, or when it has aborted before', async () => {
    const controller = new AbortController();
    const result = hasFinishedWithin(60_000, pending, controller.signal);
    controller.abort();
    await expect(result).resolves.toBe(false);
    await expect(hasFinishedWithin(60_000, pending, controller.signal)).resolves.toBe(false);
  });
});
