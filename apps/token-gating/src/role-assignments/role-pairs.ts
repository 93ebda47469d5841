import type { MemberVerdicts } from '../evaluation/evaluate-members.js';
import { MOST_PAIRS } from './members-at-once.js';

/** Roles of members, column by column, as a statement takes them. */
export interface RolePairs {
  readonly userIds: string[];
  readonly roleIds: string[];
}

export interface MemberSlice {
  readonly userIds: string[];
  readonly granted: RolePairs;
  readonly unknown: RolePairs;
}

/** What to store of whom, in pieces that one statement each can bear. Nearly always it is one. */
export function pairSlices(members: readonly MemberVerdicts[]): MemberSlice[] {
  const slices: MemberSlice[] = [];
  let slice: MemberSlice | undefined;
  for (const { userId, roles } of members) {
    if (!slice || sizeOf(slice) + roles.length > MOST_PAIRS) slices.push((slice = emptySlice()));
    slice.userIds.push(userId);
    for (const { id, kind } of roles) {
      if (kind === 'not_granted') continue;
      const pairs = kind === 'granted' ? slice.granted : slice.unknown;
      pairs.userIds.push(userId);
      pairs.roleIds.push(id);
    }
  }
  return slices;
}

const emptySlice = (): MemberSlice => ({
  userIds: [],
  granted: { userIds: [], roleIds: [] },
  unknown: { userIds: [], roleIds: [] },
});

const sizeOf = ({ granted, unknown }: MemberSlice): number => granted.userIds.length + unknown.userIds.length;
