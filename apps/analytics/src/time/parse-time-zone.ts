import { FixedOffsetZone, IANAZone, type Zone } from 'luxon';
import { invalidTimeParameter } from './time.errors.js';

/** `Area/Location` of the IANA time zone database. Abbreviations and offsets are ambiguous or ignore summer time. */
const AREA_AND_LOCATION = /^[A-Za-z][A-Za-z_]*(?:\/[A-Za-z0-9][A-Za-z0-9_+-]*){1,2}$/;

/** @throws AppError 400 for a zone that is neither `UTC` nor in the IANA time zone database */
export function parseTimeZone(text = 'UTC'): Zone {
  if (text === 'UTC') return FixedOffsetZone.utcInstance;
  if (!AREA_AND_LOCATION.test(text) || !IANAZone.isValidZone(text))
    throw invalidTimeParameter('timeZone', 'must be UTC or an IANA time zone, such as Europe/Berlin');
  return IANAZone.create(text);
}
