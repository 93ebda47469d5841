import { AppError } from '@app/common';
import { Database } from '@app/database';
import { type OperatorActionRequest, type OperatorActionResponse, operatorRefusal } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { Actor } from '../applications/audit/audit-action.js';
import { type AuditEntry, recordAudit } from '../applications/audit/audit-records.queries.js';
import { isClientApplication } from '../applications/entities/client-applications.queries.js';
import { OperatorsService } from './operators.service.js';

/**
 * Records what operators do at other apps. The record is written first: an action that then fails is in the log, and one
 * that is not in the log has not been made.
 */
@Injectable()
export class OperatorActionsService {
  constructor(
    private readonly operators: OperatorsService,
    private readonly database: Database,
  ) {}

  /** Authorizes the user by the rules of this app's own operations, and records the action. */
  async record({ user, clientId, ...entry }: OperatorActionRequest): Promise<OperatorActionResponse> {
    try {
      return { outcome: await this.recordAs(this.operators.authorize(user), entry, clientId) };
    } catch (error) {
      const refusal =
        error instanceof AppError ? operatorRefusal.safeParse(error.details['code']) : undefined;
      if (refusal?.success) return { outcome: refusal.data };
      throw error;
    }
  }

  /** @param clientId a client application that must exist */
  recordAs(actor: Actor, entry: AuditEntry, clientId?: string): Promise<'recorded' | 'client_not_found'> {
    return this.database.transaction(async (manager) => {
      if (clientId !== undefined && !(await isClientApplication(manager, clientId)))
        return 'client_not_found';
      await recordAudit(manager, actor, entry);
      return 'recorded';
    });
  }
}
