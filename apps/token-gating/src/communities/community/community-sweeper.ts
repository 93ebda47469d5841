import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { PurgeDeletedCommunities } from './purge-deleted-communities.js';

const INTERVAL_MS = 2_000;

@Injectable()
export class CommunitySweeper extends Sweeper {
  constructor(context: ServiceContext, deleted: PurgeDeletedCommunities) {
    super(context, [deleted], INTERVAL_MS);
  }
}
