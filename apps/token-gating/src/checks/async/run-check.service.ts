import { AppError } from '@app/common';
import { storedTokenGatingRequest, type TokenGatingRequest } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CheckRolesService } from '../check-roles.service.js';
import type { CheckResult } from '../../rules/check-result.js';
import type { PendingCheck } from './checks.queries.js';

export interface RunResult {
  readonly result: CheckResult;
  /** Whether reads were not made because too many were in progress, so that nothing has failed. */
  readonly lacksRoom: boolean;
}

/** Runs an accepted check. Transient failures are errors of the result; the consumer decides whether to retry. */
@Injectable()
export class RunCheckService {
  constructor(private readonly checks: CheckRolesService) {}

  async run({
    request: { account, rules },
    clientId,
    tenantId,
    requesterUserId,
  }: Pick<PendingCheck, 'request' | 'clientId' | 'tenantId' | 'requesterUserId'>): Promise<RunResult> {
    const request = storedTokenGatingRequest.parse({ account, rules });
    const requester = requesterUserId === null ? { clientId } : { userId: requesterUserId };
    try {
      const { response, lacksRoom } = await this.checks.checkRolesForLater(request, { requester, tenantId });
      const { roles = [], errors = [] } = response;
      return { result: { roles, errors }, lacksRoom };
    } catch (error) {
      if (error instanceof AppError && error.statusCode < 500)
        return { result: toFailedResult(request, error), lacksRoom: false };
      throw error;
    }
  }
}

/** The result of a check that was valid when accepted and is not any more, because a grant was revoked or wallets were added. */
function toFailedResult({ rules }: TokenGatingRequest, { name, message }: AppError): CheckResult {
  const ids = [...new Set(rules.map(({ roleId }) => roleId))];
  return {
    roles: ids.map((id) => ({ id, granted: false })),
    errors: rules.map(({ roleId }, rule) => ({ roleId, rule, name, message, retryable: false })),
  };
}
