import { Outbox } from '@app/outbox';
import { Module } from '@nestjs/common';
import { AsyncChecksModule } from '../async-checks/async-checks.module.js';
import { CommunityEvents } from './community-events.js';
import { RoleCallbacks } from './role-callbacks.js';

@Module({
  imports: [AsyncChecksModule],
  providers: [
    { provide: Outbox, useFactory: () => new Outbox('token_gating') },
    RoleCallbacks,
    CommunityEvents,
  ],
  exports: [CommunityEvents],
})
export class CommunityEventsModule {}
