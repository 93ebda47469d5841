import { tokenGatingError, tokenGatingRole } from '@app/dto';
import { z } from 'zod';

/** Roles that a check determined. `errors` is empty when every role is determined. */
export const checkResult = z.object({ roles: z.array(tokenGatingRole), errors: z.array(tokenGatingError) });
export type CheckResult = z.infer<typeof checkResult>;
