import { allowOnlyServices, Internal, type ServiceName } from '@app/auth';
import { applyDecorators, Controller, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';

/** A controller for these internal services only. @param path begins with `internal/` */
export const InternalController = (path: string, ...services: readonly ServiceName[]): ClassDecorator =>
  applyDecorators(
    Internal(),
    ApiExcludeController(),
    UseGuards(allowOnlyServices(...services)),
    Controller(path),
  );
