import { Module } from '@nestjs/common';
import { SignedOperationsSignal } from './signed-operations-signal.js';
@Module({ providers: [SignedOperationsSignal], exports: [SignedOperationsSignal] })
export class ExecutorsModule {}
