import { HOUR_MS } from '@app/common';
import type { RefusalCount } from '@app/dto';

/** Hours of refusals that are retained, the current one included. */
export const REFUSAL_RETENTION_HOURS = 24;

/** Counts refused requests of each tenant by hour, client application and error code, for the tenant's usage report. */
export abstract class RefusalStore {
  /** Counts one refusal. Never throws. */
  abstract record(tenantId: string, clientId: string, code: string): void;
  /** Counts of the last 24 hours, newest first. Rejects when the store is unavailable. */
  abstract listRecent(tenantId: string): Promise<RefusalCount[]>;
  /** Writes the counts that are not stored yet. */
  abstract close(): Promise<void>;
}

/** Hours since 1970. */
export const toHour = (ms: number): number => Math.floor(ms / HOUR_MS);

/** The retained hours, newest first. */
export const listRetainedHours = (nowMs: number): number[] =>
  Array.from({ length: REFUSAL_RETENTION_HOURS }, (_, ago) => toHour(nowMs) - ago);

/** The space separates safely: client ids and codes contain none. */
export const formatRefusalKey = (clientId: string, code: string): string => `${clientId} ${code}`;

export function toRefusalCount(hour: number, refusalKey: string, count: number): RefusalCount {
  const [clientId = '', code = ''] = refusalKey.split(' ');
  return { hour: new Date(hour * HOUR_MS).toISOString(), clientId, code, count };
}
