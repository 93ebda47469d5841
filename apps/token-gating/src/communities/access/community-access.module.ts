import { Module } from '@nestjs/common';
import { CommunityAccessService } from './community-access.service.js';

@Module({ providers: [CommunityAccessService], exports: [CommunityAccessService] })
export class CommunityAccessModule {}
