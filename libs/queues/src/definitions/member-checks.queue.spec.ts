import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memberChecksQueue, MAX_MEMBERS_PER_CHECK } from './member-checks.queue.js';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 22);

function priorityOf(members: number, now: number): number {
  const userIds = Array.from({ length: members }, (_, index) => `user_${index}`);
  const { priority } = memberChecksQueue;
  if (!priority) throw new Error('Member checks have no priority');
  return priority({ version: 1, id: '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11', communityId: 'c', userIds }, now);
}

describe('memberChecksQueue.priority', () => {
  it('memberChecksQueue.priority: is lower, so that the job runs earlier, for fewer members', () => {
    const sizes = [1, 2, 10, 100, MAX_MEMBERS_PER_CHECK].map((members) => priorityOf(members, NOW));
    expect(sizes).toEqual([...sizes].sort((a, b) => a - b));
    expect(new Set(sizes).size).toBe(sizes.length);
  });

  it('memberChecksQueue.priority: lets single joins overtake a bulk check for some minutes only', () => {
    const bulk = priorityOf(MAX_MEMBERS_PER_CHECK, NOW);
    expect(priorityOf(1, NOW + 5 * MINUTE)).toBeLessThan(bulk);
    expect(priorityOf(1, NOW + 10 * MINUTE)).toBeGreaterThan(bulk);
  });

  it('memberChecksQueue.priority: is valid in BullMQ and never 0, at any time', () => {
    const times = fc.integer({ min: 0, max: Date.UTC(2200, 0) });
    fc.assert(
      fc.property(times, fc.constantFrom(1, 2, 99, MAX_MEMBERS_PER_CHECK), (now, members) => {
        const priority = priorityOf(members, now);
        expect(Number.isInteger(priority)).toBe(true);
        expect(priority).toBeGreaterThanOrEqual(1);
        expect(priority).toBeLessThan(2 ** 21);
      }),
    );
  });
});
