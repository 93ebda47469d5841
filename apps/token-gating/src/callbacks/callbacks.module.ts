import { Module } from '@nestjs/common';
import { OutboundModule } from '../outbound/outbound.module.js';
import { CallbackSigner } from './callback-signer.js';
import { CallbackKeysModule } from './keys/callback-keys.module.js';

/** What it takes to post a callback: a way out and a signature. */
@Module({
  imports: [OutboundModule, CallbackKeysModule],
  providers: [CallbackSigner],
  exports: [OutboundModule, CallbackSigner],
})
export class CallbacksModule {}
