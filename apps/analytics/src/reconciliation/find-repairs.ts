import { createHash } from 'node:crypto';
import type { MemberState } from '@app/dto';
import { REPAIR_TYPES, type RepairEvent } from '../rollups/repair-event.js';
import type { StateKind } from '../rollups/state-intervals.queries.js';
import type { KnownState } from './reconciliation.queries.js';

/** What changed within this time before the comparison is left to the next one: its event may be on the way. */
export const SETTLE_SECONDS = 60;

/** What token-gating says of some users. */
export interface ObservedStates {
  readonly communityId: string;
  readonly at: string;
  /** All that were asked about, also those who are no members. */
  readonly userIds: readonly string[];
  readonly members: readonly MemberState[];
}

interface State {
  readonly kind: StateKind;
  readonly key: string;
  readonly since: string;
}

/** The events that history lacks, or has too many of, by what token-gating says. */
export function findRepairs(observed: ObservedStates, known: readonly KnownState[]): RepairEvent[] {
  const settledBefore = Date.parse(observed.at) - SETTLE_SECONDS * 1_000;
  const byKey = new Map(known.map((state) => [toText(state.userId, state), state]));
  const repairs: RepairEvent[] = [];
  const wanted = new Set<string>();
  for (const member of observed.members)
    for (const state of listStates(member)) {
      const text = toText(member.userId, state);
      wanted.add(text);
      const found = byKey.get(text);
      const isMissing = !found?.isHeld && (found?.isSettled ?? true);
      if (isMissing && Date.parse(state.since) < settledBefore)
        repairs.push(createRepair(observed, member.userId, state, 'begin'));
    }
  for (const state of known)
    if (state.isHeld && state.isSettled && !wanted.has(toText(state.userId, state)))
      repairs.push(createRepair(observed, state.userId, state, 'end'));
  return repairs;
}

const toText = (userId: string, { kind, key }: Pick<State, 'kind' | 'key'>): string =>
  JSON.stringify([userId, kind, key]);

/** A role or wallet is the member's since joining at the earliest. */
const listStates = ({ since, roles, wallets }: MemberState): State[] => [
  { kind: 'membership', key: '', since },
  ...roles.map((role): State => ({ kind: 'role', key: role.id, since: laterOf(since, role.since) })),
  ...wallets.map((wallet): State => ({
    kind: 'wallet',
    key: wallet.id,
    since: laterOf(since, wallet.since),
  })),
];

const laterOf = (one: string, other: string): string => (Date.parse(one) < Date.parse(other) ? other : one);

function createRepair(
  { communityId, at }: ObservedStates,
  userId: string,
  { kind, key }: Pick<State, 'kind' | 'key'>,
  what: 'begin' | 'end',
): RepairEvent {
  const type = REPAIR_TYPES[kind][what];
  const event = { id: createId(type, communityId, userId, key, at), at, type, communityId, userId };
  if (kind === 'membership') return event;
  return kind === 'role' ? { ...event, roleId: key } : { ...event, accountId: key };
}

/** A UUID (RFC 9562, version 8) that a repeated comparison gives again. */
function createId(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
