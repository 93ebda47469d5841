import { createHash } from 'node:crypto';

/** @typedef {{ type: string, at: number, userId: string, accountId?: string, roleId?: string }} InventedEvent */

const DAYS = 90;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
/** Members who have not left by then leave within these days, so that the history ends without them. */
const LAST_DAYS = 12;
const MEAN_STAY_DAYS = 30;
const WALLET_SHARE = 0.8;
/** The roles of the demo community, and the share of wallets that get each. */
const ROLE_SHARES = { whale: 0.25, collector: 0.45 };

/**
 * Invents 90 days before a community was made: members who join, more of them on working days, link wallets, get roles, are
 * checked and leave. All of them are gone at the end, so that the members that token-gating knows are those of analytics too. The same
 * arguments make the same events.
 * @param {{ communityId: string, chainId: number, until: number }} options
 * @returns {object[]} community events (libs/dto/src/events.ts) in order of time
 */
export function inventHistory({ communityId, chainId, until }) {
  const random = createRandom();
  /** @type {InventedEvent[]} */
  const events = [];
  for (let day = DAYS; day > 1; day -= 1) {
    const weekday = new Date(until - day * DAY_MS).getUTCDay();
    const isWeekend = weekday === 0 || weekday === 6;
    const joining = Math.floor(random() * (isWeekend ? 2 : 4) + (day % 30 < 3 ? 3 : 0));
    for (let n = 0; n < joining; n += 1) {
      const joinedAt = until - day * DAY_MS + random() * DAY_MS * 0.9;
      events.push(...inventMember({ userId: `demo_${day}_${n}`, joinedAt, until, chainId, random }));
    }
  }
  return events
    .sort((a, b) => a.at - b.at)
    .map(({ at, ...event }, index) => ({
      id: createUuid(communityId, index),
      at: new Date(at).toISOString(),
      communityId,
      ...event,
    }));
}

/**
 * @param {{ userId: string, joinedAt: number, until: number, chainId: number, random: () => number }} options
 * @returns {InventedEvent[]}
 */
function inventMember({ userId, joinedAt, until, chainId, random }) {
  const stay = -Math.log(1 - random()) * MEAN_STAY_DAYS * DAY_MS;
  const latest = Math.max(until - random() * LAST_DAYS * DAY_MS, joinedAt + 0.5 * (until - joinedAt));
  const leftAt = Math.min(joinedAt + 0.05 * DAY_MS + stay, latest);
  /** @type {InventedEvent[]} */
  const events = [{ type: 'member.joined', at: joinedAt, userId }];
  /** @type {InventedEvent[]} */
  const leaving = [{ type: 'member.left', at: leftAt, userId }];
  if (random() < WALLET_SHARE) {
    const accountId = `eip155:${chainId}:0x${hash(userId).slice(0, 40)}`;
    const linkedAt = joinedAt + random() * 20 * MINUTE_MS;
    events.push({ type: 'wallet.linked', at: linkedAt, userId, accountId });
    leaving.unshift({ type: 'wallet.unlinked', at: leftAt, userId, accountId });
    for (const [roleId, share] of Object.entries(ROLE_SHARES)) {
      if (random() > share) continue;
      events.push({ type: 'role.granted', at: linkedAt + MINUTE_MS, userId, roleId });
      leaving.unshift({ type: 'role.revoked', at: leftAt, userId, roleId });
    }
  }
  for (let at = joinedAt + 0.2 * DAY_MS; at < leftAt; at += (0.5 + 6 * random()) * DAY_MS)
    events.push({ type: 'member.checked', at, userId });
  return [...events, ...leaving];
}

/** The linear congruential generator of Numerical Recipes: the same numbers at each start. */
function createRandom() {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** @param {string} text */
const hash = (text) => createHash('sha256').update(text).digest('hex');

/** A UUID from its parts (RFC 9562, version 8), so that a repeated import changes nothing. @param {(string | number)[]} parts */
function createUuid(...parts) {
  const digits = hash(JSON.stringify(['demo history', ...parts]));
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
