import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { queryText } from '@app/dto';
import { invalidInput } from '@app/service';
import { z } from 'zod';
import type { PeriodQuery } from '../time/report-period.js';

const MAX_LENGTH = 64;
const text = queryText.max(MAX_LENGTH).optional();

/** Parameters beside `range`, which alone the OpenAPI document declares. */
export const furtherPeriodQuery = z.object({
  interval: text.describe(
    '`hour`, `day`, `week` or `month` (by default `hour` up to 2 days, `day` up to 92 days, `week` up to 2 years)',
  ),
  timeZone: text.describe('an IANA time zone (by default `UTC`)'),
});

const periodQuery = furtherPeriodQuery.extend({ range: text });

/**
 * The parameters of a report's time. A decorator of its own, because the OpenAPI document lists only `range`: clients with
 * positional arguments know no others (contract.md section 9). @throws AppError 400
 */
export const PeriodParameters = createParamDecorator((_: unknown, context: ExecutionContext): PeriodQuery => {
  const parsed = periodQuery.safeParse(context.switchToHttp().getRequest<Request>().query);
  if (!parsed.success) throw invalidInput(parsed.error.issues);
  return parsed.data;
});
