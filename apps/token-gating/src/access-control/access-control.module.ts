import { Module } from '@nestjs/common';
import { CheckRolesModule } from '../check-roles/check-roles.module.js';
import { AccessControlController } from './access-control.controller.js';

@Module({ imports: [CheckRolesModule], controllers: [AccessControlController] })
export class AccessControlModule {}
