import type { UserEvent } from '@app/dto';
import { foreignQueue } from '../queues/foreign-queue.js';
import { until } from '../support/until.js';
import { queryDatabase } from './query-database.js';

/** The users whose sign-ins to a client application wait in the queue of identity's events, which nothing consumes. */
export const listSignIns = (databaseUrl: string, clientId: string): Promise<string[]> =>
  listUsersOfEvents(databaseUrl, 'user.signed_in', clientId);

/** The users of events about a client application that wait there. */
export async function listUsersOfEvents(
  databaseUrl: string,
  type: 'user.signed_in' | 'consent.ended',
  clientId: string,
): Promise<string[]> {
  await until('the outbox is empty', async () => {
    const rows = await queryDatabase(
      databaseUrl,
      `SELECT FROM identity.outbox WHERE queue = 'user-events'`,
      [],
    );
    return rows.length === 0;
  });
  const { queue, close } = foreignQueue({ QUEUE_DATABASE_URL: databaseUrl }, 'user-events');
  const jobs = await queue.getJobs(['waiting'], 0, -1);
  await close();
  return jobs
    .flatMap(({ data }) => (data as { events: UserEvent[] }).events)
    .flatMap((event) => (event.type === type && event.clientId === clientId ? [event.userId] : []));
}
