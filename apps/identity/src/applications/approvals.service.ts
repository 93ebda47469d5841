import { badRequest, conflict } from '@app/common';
import type { Scope } from '@app/dto';
import type { UserEventsService } from '../users/user-events.service.js';
import type { Actor } from './audit/audit-action.js';
import { recordAudit } from './audit/audit-records.queries.js';
import type { CredentialTransactionService } from '../tokens/change-feed/credential-transaction.service.js';
import { recordCredentialChanges } from '../tokens/change-feed/credential-changes.queries.js';
import { ClientApplication } from './entities/client-application.entity.js';
import {
  lockClientApplication,
  lockWaitingApplication,
  storeMessage,
} from './entities/client-applications.queries.js';
import { selectReviewedValues, toWanted } from './reviewed-values.js';
import {
  approveScopes,
  type ApprovalState,
  selectScopesForApproval,
  rejectScopes,
} from './approval-state.js';

export interface Approval {
  /** Scopes to approve; all requested scopes that need approval by default. */
  scopes?: Scope[];
  /** The reviewed revision; the current one by default. */
  revision?: number;
  /** Plain text for the owner. */
  message?: string;
}

export interface Rejection {
  /** Shown to the owner. */
  reason: string;
  revision?: number;
}

/** What publishes a decision to token-gating, which tells the callback endpoints of the application. */
type DecisionPublisher = Pick<UserEventsService, 'publishApproval'>;

/** Operators' decisions about what applications request: scopes that need approval, names, icons and addresses. */
export class ApprovalsService {
  constructor(
    private readonly transactions: CredentialTransactionService,
    private readonly events: DecisionPublisher,
  ) {}

  approve(
    actor: Actor,
    clientId: string,
    { scopes, revision, message }: Approval,
  ): Promise<ClientApplication> {
    return this.decide(actor, clientId, revision, (client) => {
      const awaiting = selectScopesForApproval(client);
      const notRequested = scopes?.filter((scope) => !awaiting.includes(scope)) ?? [];
      if (notRequested.length > 0) throw scopeNotRequested(notRequested);
      return {
        ...approveScopes(client, scopes ?? awaiting),
        ...(message !== undefined && toOperatorMessage(message)),
        ...selectReviewedValues(toWanted(client)),
        waitingValues: null,
        reviewedRevision: client.revision,
      };
    });
  }

  reject(actor: Actor, clientId: string, { reason, revision }: Rejection): Promise<ClientApplication> {
    return this.decide(actor, clientId, revision, (client) => rejectScopes(client, reason));
  }

  /** Writes to the owner of an application without deciding. @throws AppError 409 where it waits for no decision */
  async sendMessage(actor: Actor, clientId: string, message: string): Promise<void> {
    await this.transactions.transaction(async (manager) => {
      await lockWaitingApplication(manager, clientId);
      await storeMessage(manager, 'operator', clientId, message);
      await recordAudit(manager, actor, { action: 'client.message-sent', target: clientId });
    });
  }

  private decide(
    actor: Actor,
    clientId: string,
    revision: number | undefined,
    decideState: (client: ClientApplication) => ApprovalState & Partial<ClientApplication>,
  ): Promise<ClientApplication> {
    return this.transactions.transaction(async (manager) => {
      const client = await lockClientApplication(manager, clientId);
      if (revision !== undefined && revision !== client.revision) throw applicationChanged();
      const decided = { waitingSince: null, decisionNoticeAt: new Date() };
      const state = { ...decideState(client), ...decided };
      await manager.update(ClientApplication, { id: clientId }, state);
      await recordAudit(manager, actor, {
        action: state.status === 'rejected' ? 'client.rejected' : 'client.approved',
        target: clientId,
        details: {
          revision: client.revision,
          scopes: state.approvedScopes,
          ...(state.rejectionReason === null ? {} : { reason: state.rejectionReason }),
        },
      });
      await recordCredentialChanges(manager, [clientId]);
      if (state.status === 'approved')
        await this.events.publishApproval(manager, client.id, state.approvedScopes);
      return Object.assign(client, state);
    });
  }
}

const toOperatorMessage = (message: string) => ({
  operatorMessage: message,
  operatorMessageAt: new Date(),
});

const scopeNotRequested = (scopes: Scope[]) =>
  badRequest(
    'scope_invalid',
    `The application does not request ${scopes.join(', ')}, or these scopes need no approval.`,
  );

const applicationChanged = () =>
  conflict('client_conflict', 'The application was changed since this revision: review it again.');
