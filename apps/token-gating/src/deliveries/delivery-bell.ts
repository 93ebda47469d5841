import { Bell } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Rings when a callback is due. */
@Injectable()
export class DeliveryBell extends Bell {}
