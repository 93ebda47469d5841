import type { StoredEvent } from '../../apps/analytics/src/ingest/events.queries.js';

/** The events that begin a state, and those that end it. */
const STATES = {
  membership: { begin: ['member.joined', 'repair.joined'], end: ['member.left', 'repair.left'] },
  role: { begin: ['role.granted', 'repair.granted'], end: ['role.revoked', 'repair.revoked'] },
  wallet: { begin: ['wallet.linked', 'repair.linked'], end: ['wallet.unlinked', 'repair.unlinked'] },
} as const;
type State = keyof typeof STATES;

const keyOf = (event: StoredEvent): string =>
  ('roleId' in event ? event.roleId : undefined) ??
  ('accountId' in event ? event.accountId : undefined) ??
  '';

/** What reports must say, from a plain list of events. */
export class ReportModel {
  constructor(private readonly events: readonly StoredEvent[]) {}

  /** How many events of a type happened from `begin` until `end`. */
  count(type: StoredEvent['type'], begin: number, end: number, roleId?: string): number {
    return this.between(begin, end).filter(
      (event) => event.type === type && (roleId === undefined || keyOf(event) === roleId),
    ).length;
  }

  users(begin: number, end: number): number {
    const kinds: string[] = [
      'member.joined',
      'member.left',
      'member.checked',
      'member.signed_in',
      'member.reported',
      'wallet.linked',
    ];
    const active = this.between(begin, end).filter(({ type }) => kinds.includes(type));
    return new Set(active.map(({ userId }) => userId)).size;
  }

  /** Lists who has a state just before a time: pairs of a user and a role or wallet. */
  holders(state: State, time: number): [userId: string, key: string][] {
    const { begin, end }: { begin: readonly string[]; end: readonly string[] } = STATES[state];
    const held = new Map<string, [string, string]>();
    const transitions = this.between(-Infinity, time).filter(
      ({ type }) => begin.includes(type) || end.includes(type),
    );
    // The end is the later one of two transitions at the same time.
    transitions.sort(
      (a, b) =>
        Date.parse(a.at) - Date.parse(b.at) || Number(end.includes(a.type)) - Number(end.includes(b.type)),
    );
    for (const event of transitions) {
      const pair: [string, string] = [event.userId, keyOf(event)];
      if (begin.includes(event.type)) held.set(pair.join(' '), pair);
      else held.delete(pair.join(' '));
    }
    return [...held.values()];
  }

  private between(begin: number, end: number): StoredEvent[] {
    return this.events.filter(({ at }) => Date.parse(at) >= begin && Date.parse(at) < end);
  }
}
