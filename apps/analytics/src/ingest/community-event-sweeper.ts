import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { PurgeDeletedCommunitiesStep } from './purge-deleted-communities-step.js';

const INTERVAL_MS = 2_000;

@Injectable()
export class CommunityEventSweeper extends Sweeper {
  constructor(context: ServiceContext, deleted: PurgeDeletedCommunitiesStep) {
    super(context, [deleted], INTERVAL_MS);
  }
}
