import { Module } from '@nestjs/common';
import { AskIdentityConfig } from './identity.config.js';
import { IdentityClient } from './identity-client.js';

@Module({ providers: [AskIdentityConfig, IdentityClient], exports: [IdentityClient] })
export class IdentityModule {}
