import { Module } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import { Approvals } from '../clients/approvals.js';
import { PlanHolders } from '../clients/plan-holders.js';
import { CredentialWrites } from '../credentials/credential-writes.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { ApprovalQueue } from './approval-queue.js';
import { OperatorConfig } from './operator.config.js';
import { OperatorController } from './operator.controller.js';
import { Operators } from './operators.js';
import { PlanLookup } from './plan-lookup.js';

@Module({
  imports: [CredentialsModule],
  controllers: [OperatorController],
  providers: [
    OperatorConfig,
    Operators,
    ApprovalQueue,
    PlanLookup,
    AuditTrail,
    ...[Approvals, PlanHolders].map((provide) => ({
      provide,
      inject: [CredentialWrites],
      useFactory: (writes: CredentialWrites) => new provide(writes),
    })),
  ],
  exports: [Operators, ApprovalQueue, PlanLookup, AuditTrail, Approvals, PlanHolders],
})
export class OperatorsModule {}
