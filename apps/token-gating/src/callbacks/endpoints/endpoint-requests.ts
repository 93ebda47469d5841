import { tooManyRequests } from '@app/common';
import type { EntityManager } from 'typeorm';
import { findWaitSeconds } from '../role-callbacks/role-callback-schedules.queries.js';

/** Challenges, tests, deliveries that are sent again, and recoveries of a tenant in a minute. */
export const MAX_ENDPOINT_REQUESTS_PER_MINUTE = 10;

/** Counts a request that sends something to a URL. A transaction that is rolled back counts as none. @throws AppError 429 */
export async function countEndpointRequest(manager: EntityManager, tenantId: string): Promise<void> {
  const schedule = `endpoint requests ${tenantId}`;
  const retryAfter = await findWaitSeconds(manager, schedule, MAX_ENDPOINT_REQUESTS_PER_MINUTE);
  if (retryAfter === undefined) return;
  throw tooManyRequests(
    'endpoint_request_limit_exceeded',
    `Challenges, tests, deliveries sent again and recoveries are limited to ${MAX_ENDPOINT_REQUESTS_PER_MINUTE} a minute.`,
    { retryAfter },
  );
}
