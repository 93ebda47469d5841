import { Module } from '@nestjs/common';
import { ClientPlanQueries } from './client-plan.queries.js';
import { ClientPlansController } from './client-plans.controller.js';

@Module({ controllers: [ClientPlansController], providers: [ClientPlanQueries] })
export class ClientPlansModule {}
