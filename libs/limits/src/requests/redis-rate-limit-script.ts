import { z } from 'zod';

/** The limit of requests that count in the month only. */
export const NO_PER_SECOND_LIMIT = 0;

/**
 * Counts one request of one tenant in both windows. The second goes by the clock of Redis, the month is the gateway's.
 *
 * KEYS, with one hash tag:
 *   1. a sorted set: the microseconds at which requests of the last second were admitted
 *   2. a hash: `month` (CalendarMonth.number) and `used`
 * ARGV:
 *   1. requests per second, 2. requests per month
 *   3. requests that were admitted from memory and are not counted yet
 *   4. CalendarMonth.number, 5. CalendarMonth.endMs
 *   6. usage of that month as the gateway last read it, for a Redis that lost its data
 * Returns: admitted by the second (0 or 1), left in it, milliseconds until it has room again; admitted by the month, used in it.
 */
export const RATE_LIMIT_SCRIPT = `
local clock = redis.call('TIME')
local us = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local per_second, per_month, unsynced = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local month_number, month_end, known = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', us - 1000000))
local inside = redis.call('ZCARD', KEYS[1])
local second = (per_second == 0 or inside < per_second) and 1 or 0
local reset_in = 0
if second == 1 and per_second > 0 then
  local at = string.format('%.0f', us)
  redis.call('ZADD', KEYS[1], at, at .. '-' .. inside)
  redis.call('PEXPIRE', KEYS[1], 1000)
  inside = inside + 1
end
if inside >= per_second then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  if oldest then reset_in = math.ceil((tonumber(oldest) + 1000000 - us) / 1000) end
end

local stored = redis.call('HMGET', KEYS[2], 'month', 'used')
local stored_month, used = tonumber(stored[1]) or 0, tonumber(stored[2]) or 0
-- A gateway whose clock is behind counts in the month that another one has begun.
local is_behind = stored_month > month_number
if not is_behind then
  if stored_month < month_number then used = 0 end
  used = math.max(used, known)
end
local month = used + unsynced < per_month and 1 or 0
used = used + unsynced + (second == 1 and month == 1 and 1 or 0)
if used > 0 then
  if is_behind then
    redis.call('HSET', KEYS[2], 'used', used)
  else
    redis.call('HSET', KEYS[2], 'month', month_number, 'used', used)
    redis.call('PEXPIREAT', KEYS[2], month_end)
  end
end
return { second, math.max(0, per_second - inside), reset_in, month, used }
`;

const flag = z.union([z.literal(0), z.literal(1)]);

export const rateLimitReply = z.tuple([flag, z.int(), z.int(), flag, z.int()]);
