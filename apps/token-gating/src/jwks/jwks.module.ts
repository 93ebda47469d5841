import { Module } from '@nestjs/common';
import { ClaimKeysModule } from '../assets/verification/keys/claim-keys.module.js';
import { CallbackKeysModule } from '../callbacks/signing-keys/callback-keys.module.js';
import { JwksController } from './jwks.controller.js';

@Module({ imports: [CallbackKeysModule, ClaimKeysModule], controllers: [JwksController] })
export class JwksModule {}
