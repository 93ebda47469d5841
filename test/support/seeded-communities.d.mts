import type { Pool } from 'pg';

export interface SeededCommunity {
  id: string;
  members: number;
  rules: readonly { readonly roleId: string; readonly [field: string]: unknown }[];
  visibility?: 'public' | 'members' | 'hidden';
  /** Of an attached client application. */
  clientId?: string;
}

/** Members are numbered from 1 on, in the order in which they joined; each has one wallet, the same in every community. */
export function memberId(member: number): string;
export function memberAddress(member: number): string;
export function ownerOf(communityId: string): string;

/** A community as requests leave it, with as many members as wanted. It is never due by itself. */
export function seedCommunity(sql: Pool, community: SeededCommunity): Promise<void>;
