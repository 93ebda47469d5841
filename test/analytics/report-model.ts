import type { StoredEvent } from '../../apps/analytics/src/ingest/events.queries.js';

/** Which events begin a state, and which end it. */
const STATES = {
  membership: ['member.joined', 'member.left'],
  role: ['role.granted', 'role.revoked'],
  wallet: ['wallet.linked', 'wallet.unlinked'],
} as const;
type State = keyof typeof STATES;

const keyOf = (event: StoredEvent): string =>
  'roleId' in event ? event.roleId : 'accountId' in event ? event.accountId : '';

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

  /** Who has a state just before a time: pairs of a user and a role or wallet. */
  holders(state: State, time: number): [userId: string, key: string][] {
    const types: readonly string[] = STATES[state];
    const held = new Map<string, [string, string]>();
    const transitions = this.between(-Infinity, time).filter(({ type }) => types.includes(type));
    // Of two transitions at the same time the end is the later one.
    transitions.sort(
      (a, b) => Date.parse(a.at) - Date.parse(b.at) || types.indexOf(a.type) - types.indexOf(b.type),
    );
    for (const event of transitions) {
      const pair: [string, string] = [event.userId, keyOf(event)];
      if (event.type === types[0]) held.set(pair.join(' '), pair);
      else held.delete(pair.join(' '));
    }
    return [...held.values()];
  }

  private between(begin: number, end: number): StoredEvent[] {
    return this.events.filter(({ at }) => Date.parse(at) >= begin && Date.parse(at) < end);
  }
}
