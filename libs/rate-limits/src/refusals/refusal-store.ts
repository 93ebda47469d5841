import type { RefusalCount } from '@app/dto';

/** Refusals are kept for that many hours, the current one among them. */
export const REFUSAL_RETENTION_HOURS = 24;

const HOUR_MS = 3_600_000;

/** Which requests of a plan holder were refused lately, and why, for people who wonder. */
export abstract class RefusalStore {
  /** Neither waits nor fails. */
  abstract record(holderId: string, clientId: string, code: string): void;
  /** Newest first. Rejects when the store cannot be asked. */
  abstract listRecent(holderId: string): Promise<RefusalCount[]>;
  /** Hands over what is not written yet. */
  abstract close(): Promise<void>;
}

/** Hours since 1970. */
export const toHour = (ms: number): number => Math.floor(ms / HOUR_MS);

/** The hours that are kept, newest first. */
export const listRetainedHours = (nowMs: number): number[] =>
  Array.from({ length: REFUSAL_RETENTION_HOURS }, (_, ago) => toHour(nowMs) - ago);

/** One name for who was refused why; neither an id nor a code holds a space. */
export const formatRefusalKey = (clientId: string, code: string): string => `${clientId} ${code}`;

export function toRefusalCount(hour: number, name: string, count: number): RefusalCount {
  const [clientId = '', code = ''] = name.split(' ');
  return { hour: new Date(hour * HOUR_MS).toISOString(), clientId, code, count };
}
