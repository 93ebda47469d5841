import { badRequest, conflict } from '@app/common';
import type { Scope } from '@app/dto';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { CredentialTransactionService } from '../../tokens/change-feed/credential-transaction.service.js';
import { recordCredentialChanges } from '../../tokens/change-feed/record-credential-changes.js';
import { ClientApplication } from '../entities/client-application.entity.js';
import { lockClientApplication } from '../lock-client-application.js';
import {
  approveScopes,
  type ApprovalState,
  selectScopesForApproval,
  rejectScopes,
} from '../approval-state.js';

export interface Approval {
  /** Of the scopes that need approval; all that are asked for unless said otherwise. */
  scopes?: Scope[];
  /** What was looked at; without it whatever is there. */
  revision?: number;
}

export interface Rejection {
  /** The owner reads it. */
  reason: string;
  revision?: number;
}

/** Decisions of operators about client applications that ask for scopes that need approval. */
export class ApprovalsService {
  constructor(private readonly writes: CredentialTransactionService) {}

  approve(actor: Actor, clientId: string, { scopes, revision }: Approval): Promise<ClientApplication> {
    return this.decide(actor, clientId, revision, (client) => {
      const possible = selectScopesForApproval(client);
      const extra = scopes?.filter((scope) => !possible.includes(scope)) ?? [];
      if (extra.length > 0) throw scopeNotRequested(extra);
      return approveScopes(client, scopes ?? possible);
    });
  }

  reject(actor: Actor, clientId: string, { reason, revision }: Rejection): Promise<ClientApplication> {
    return this.decide(actor, clientId, revision, (client) => rejectScopes(client, reason));
  }

  private decide(
    actor: Actor,
    clientId: string,
    revision: number | undefined,
    judge: (client: ClientApplication) => ApprovalState,
  ): Promise<ClientApplication> {
    return this.writes.transaction(async (manager) => {
      const client = await lockClientApplication(manager, clientId);
      if (revision !== undefined && revision !== client.revision) throw applicationChanged();
      const state = judge(client);
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
      return Object.assign(client, state);
    });
  }
}

const scopeNotRequested = (scopes: Scope[]) =>
  badRequest('scope_invalid', `The application does not wait for ${scopes.join(', ')}.`);

const applicationChanged = () =>
  conflict('client_conflict', 'The application was changed meanwhile: look at it again.');
