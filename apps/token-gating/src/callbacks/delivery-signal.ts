import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Rings when a callback is due. */
@Injectable()
export class DeliverySignal extends WakeUpSignal {}
