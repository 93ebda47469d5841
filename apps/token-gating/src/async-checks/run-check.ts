import { tokenGatingRequest } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { CheckRolesService } from '../check-roles/check-roles.service.js';
import type { CheckResult, StoredRequest } from './async-check.js';

/** Runs an accepted check. A transient failure is an error in its result: whether to ask again is decided elsewhere. */
@Injectable()
export class RunCheck {
  constructor(private readonly checks: CheckRolesService) {}

  async run({ account, rules }: StoredRequest): Promise<CheckResult> {
    const request = tokenGatingRequest.parse({ account, rules });
    const { roles = [], errors = [] } = await this.checks.check(request, { lenient: true });
    return { roles, errors };
  }
}
