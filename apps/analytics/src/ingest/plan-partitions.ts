import { DAY_MS } from '@app/common';
const NAME = /^events_(\d{4})_(\d{2})$/;
const MONTHS_AHEAD = 2;
/** The time between the last moment at which an event of a month is accepted and the removal of its partition. */
const MARGIN_MS = DAY_MS;

/** A table of the events of one month in UTC. */
export interface ExistingPartition {
  readonly name: string;
  readonly state: 'attached' | 'detaching' | 'detached';
}

export interface NewPartition {
  readonly name: string;
  readonly begin: string;
  readonly end: string;
}

export interface PartitionPlan {
  /** Partitions to create, or to attach where the table exists. */
  readonly missing: readonly NewPartition[];
  /** Partitions whose events have all expired. */
  readonly expired: readonly ExistingPartition[];
}

/** Months are counted from the year 0. */
const toMonth = (time: number): number => {
  const date = new Date(time);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
};

const toBegin = (month: number): string =>
  new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString();

const toNewPartition = (month: number): NewPartition => {
  const begin = toBegin(month);
  const name = `events_${begin.slice(0, 4)}_${begin.slice(5, 7)}`;
  return { name, begin, end: toBegin(month + 1) };
};

/** When the partition's month ends, in milliseconds since 1970. */
export function findPartitionEnd({ name }: ExistingPartition): number {
  const [, year, month] = NAME.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month));
}

/** Events are accepted from `retentionMs` before now on, so each month since then has a partition, and some months ahead. */
export function planPartitions(
  existing: readonly ExistingPartition[],
  now: number,
  retentionMs: number,
): PartitionPlan {
  const attached = new Set(existing.filter(({ state }) => state === 'attached').map(({ name }) => name));
  const firstMonth = toMonth(now - retentionMs);
  const months = Array.from(
    { length: toMonth(now) + MONTHS_AHEAD - firstMonth + 1 },
    (_, index) => firstMonth + index,
  );
  return {
    missing: months.map(toNewPartition).filter(({ name }) => !attached.has(name)),
    expired: existing.filter((partition) => findPartitionEnd(partition) <= now - retentionMs - MARGIN_MS),
  };
}
