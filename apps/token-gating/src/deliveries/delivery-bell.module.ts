import { Module } from '@nestjs/common';
import { DeliveryBell } from './delivery-bell.js';

/** Of its own, because those who ring stand before those who listen. */
@Module({ providers: [DeliveryBell], exports: [DeliveryBell] })
export class DeliveryBellModule {}
