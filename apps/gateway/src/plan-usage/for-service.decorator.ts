import { SetMetadata } from '@nestjs/common';

export const FOR_SERVICE = 'gatehouse:for-service';

/** The one app of ours that a controller behind `AdmitServiceGuard` is for. */
export const ForService = (name: string): ClassDecorator => SetMetadata(FOR_SERVICE, name);
