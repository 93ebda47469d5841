import { Module } from '@nestjs/common';
import { CommunityAccess } from './community-access.js';

@Module({ providers: [CommunityAccess], exports: [CommunityAccess] })
export class CommunityAccessModule {}
