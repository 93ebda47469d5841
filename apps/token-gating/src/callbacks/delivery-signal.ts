import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Wakes the callback dispatcher of this instance when a callback is due. */
@Injectable()
export class DeliverySignal extends WakeUpSignal {}
