import { planName, refusalCount } from '@app/dto';
import { z } from 'zod';

const allowed = z.int().positive().optional();

export const planUsage = z
  .object({
    plan: planName,
    requestsPerSecond: z.int().positive(),
    month: z.object({
      limit: z.int().positive(),
      used: z.int().nonnegative().optional().meta({ description: 'Absent when no gateway answers' }),
      endsTime: z.iso.datetime(),
    }),
    clientApplications: z.object({ limit: allowed, used: z.int().nonnegative() }),
    apiKeys: z.object({ limit: allowed, used: z.int().nonnegative() }),
    refusals: z.array(refusalCount).meta({ description: 'In the last 24 hours, newest first' }),
  })
  .meta({ id: 'PlanUsage' });
export type PlanUsage = z.output<typeof planUsage>;
