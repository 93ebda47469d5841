import { Module } from '@nestjs/common';
import { ClientPlanLookup } from './client-plan-lookup.js';
import { ClientPlansController } from './client-plans.controller.js';

@Module({ controllers: [ClientPlansController], providers: [ClientPlanLookup] })
export class ClientPlansModule {}
