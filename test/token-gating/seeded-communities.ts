import type { Pool } from 'pg';
import { type SeededCommunity, seedCommunity as seed } from '../support/seeded-communities.mjs';

export const CHAIN_ID = 31337;
export const rich = { type: 'NATIVE', chainId: CHAIN_ID, minToken: '1', roleId: 'rich' };

/** Seeds a community, by default with the rule `rich`. @returns its id */
export async function seedCommunity(
  sql: Pool,
  community: Omit<SeededCommunity, 'rules'> & Partial<Pick<SeededCommunity, 'rules'>>,
): Promise<string> {
  await seed(sql, { rules: [rich], ...community });
  return community.id;
}
