import { DEFAULT_REPORT_RANGE, REPORT_RANGES } from '@app/dto';

const RANGES = REPORT_RANGES.map((range) =>
  range === DEFAULT_REPORT_RANGE ? `\`${range}\` (the default)` : `\`${range}\``,
).join(', ');

const PERIOD =
  `\`range\` is ${RANGES}, ` +
  'an ISO 8601 duration back from now (`P2W`) or an ISO 8601 interval ' +
  '(`2026-01-01/2026-02-01`) of days of the time zone, or of date-times on a quarter of an hour, with the end excluded. ' +
  'The begin is rounded down and the end up to the edge of a bucket; ' +
  'every bucket has a row. With `Accept: text/csv` the response is a table of the same rows.';

const FILTER =
  'The body chooses roles, and the names and colors of their rows. Without it all roles are listed.';

export const DISTRIBUTION_DESCRIPTION = `Members at the end of the range. ${FILTER} ${PERIOD}`;
export const ROLES_ADDED_DESCRIPTION = `${FILTER} ${PERIOD}`;
export const BY_BUCKET_DESCRIPTION = `${PERIOD} \`If-None-Match\` is supported.`;
