import { Module } from '@nestjs/common';
import { DeliverySignal } from './delivery-signal.js';

/** Of its own, because those who ring stand before those who listen. */
@Module({ providers: [DeliverySignal], exports: [DeliverySignal] })
export class DeliverySignalModule {}
