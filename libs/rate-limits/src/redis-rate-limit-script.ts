import { z } from 'zod';

/**
 * Months as numbers (twelve times the year, plus 0 to 11) and days since 1970, in the proleptic Gregorian calendar:
 * https://howardhinnant.github.io/date_algorithms.html
 */
export const LUA_MONTH_FUNCTIONS = `
local function month_of(days)
  local z = days + 719468
  local era = math.floor(z / 146097)
  local doe = z - era * 146097
  local yoe = math.floor((doe - math.floor(doe / 1460) + math.floor(doe / 36524) - math.floor(doe / 146096)) / 365)
  local doy = doe - (365 * yoe + math.floor(yoe / 4) - math.floor(yoe / 100))
  local mp = math.floor((5 * doy + 2) / 153)
  local month = mp < 10 and mp + 3 or mp - 9
  return (yoe + era * 400 + (month <= 2 and 1 or 0)) * 12 + month - 1
end

local function first_day_of(index)
  local y, m = math.floor(index / 12), index % 12 + 1
  if m <= 2 then y = y - 1 end
  local era = math.floor(y / 400)
  local yoe = y - era * 400
  local doy = math.floor((153 * (m > 2 and m - 3 or m + 9) + 2) / 5)
  return era * 146097 + yoe * 365 + math.floor(yoe / 4) - math.floor(yoe / 100) + doy - 719468
end
`;

/** In place of requests per second, for requests that count in the month only. */
export const NO_PER_SECOND_LIMIT = 0;

/**
 * Both windows of one holder in one round trip, by the clock of Redis. The keys share a hash tag.
 *
 * KEYS: the times of the requests admitted during the last second (a sorted set, in microseconds, at most as many as
 * the limit), and the month's name and count (a hash).
 * ARGV: requests per second, requests per month, requests admitted from memory that are not booked yet, and what is
 * known to be used of the month that ends then (ms): a Redis that lost its data starts from there.
 * Returns: admitted by the second (0 or 1), left in it, when it has room again (ms); admitted by the month, used in it,
 * when it ends (ms).
 */
export const RATE_LIMIT_SCRIPT = `${LUA_MONTH_FUNCTIONS}
local clock = redis.call('TIME')
local us = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local ms = math.floor(us / 1000)
local per_second, per_month, debt = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', us - 1000000))
local inside = redis.call('ZCARD', KEYS[1])
local second = (per_second == 0 or inside < per_second) and 1 or 0
local reset = ms
if second == 1 and per_second > 0 then
  local at = string.format('%.0f', us)
  redis.call('ZADD', KEYS[1], at, at .. '-' .. inside)
  redis.call('PEXPIRE', KEYS[1], 1000)
  inside = inside + 1
end
if inside >= per_second then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
  if oldest then reset = math.ceil((tonumber(oldest) + 1000000) / 1000) end
end

local index = month_of(math.floor(ms / 86400000))
local ends = first_day_of(index + 1) * 86400000
local stored = redis.call('HMGET', KEYS[2], 'month', 'used')
local used = tonumber(stored[1]) == index and tonumber(stored[2]) or 0
if tonumber(ARGV[5]) == ends then used = math.max(used, tonumber(ARGV[4])) end
local month = used + debt < per_month and 1 or 0
local booked = used + debt + (second == 1 and month == 1 and 1 or 0)
if booked > 0 then
  redis.call('HSET', KEYS[2], 'month', index, 'used', booked)
  redis.call('PEXPIREAT', KEYS[2], ends)
end
return { second, math.max(0, per_second - inside), reset, month, booked, ends }
`;

export const rateLimitReply = z.tuple([
  z.union([z.literal(0), z.literal(1)]),
  z.int(),
  z.int(),
  z.union([z.literal(0), z.literal(1)]),
  z.int(),
  z.int(),
]);
