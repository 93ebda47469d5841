import { Module } from '@nestjs/common';
import { StateEventsService } from './state-events.service.js';

@Module({ providers: [StateEventsService], exports: [StateEventsService] })
export class StatesModule {}
