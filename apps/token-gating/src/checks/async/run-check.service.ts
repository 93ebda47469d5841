import { AppError } from '@app/common';
import { tokenGatingRequest, type TokenGatingRequest } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CheckRolesService } from '../check-roles.service.js';
import type { CheckResult, PendingCheck } from './async-check.js';

/** Runs an accepted check. A transient failure is an error in its result: whether to ask again is decided elsewhere. */
@Injectable()
export class RunCheckService {
  constructor(private readonly checks: CheckRolesService) {}

  async run({
    request: { account, rules },
    clientId,
    askerUserId,
  }: Pick<PendingCheck, 'request' | 'clientId' | 'askerUserId'>): Promise<CheckResult> {
    const request = tokenGatingRequest.parse({ account, rules });
    const asker = askerUserId === null ? { clientId } : { userId: askerUserId };
    try {
      const { roles = [], errors = [] } = await this.checks.checkRoles(request, {
        requester: asker,
        lenient: true,
      });
      return { roles, errors };
    } catch (error) {
      if (error instanceof AppError && error.statusCode < 500) return refused(request, error);
      throw error;
    }
  }
}

/** What was accepted and would be refused by now: a grant was taken back, or wallets were added. */
function refused({ rules }: TokenGatingRequest, { name, message }: AppError): CheckResult {
  const ids = [...new Set(rules.map(({ roleId }) => roleId))];
  return {
    roles: ids.map((id) => ({ id, granted: false })),
    errors: rules.map(({ roleId }, rule) => ({ roleId, rule, name, message, retryable: false })),
  };
}
