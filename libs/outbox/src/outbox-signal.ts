import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Rings when jobs were committed to the outbox here. */
@Injectable()
export class OutboxSignal extends WakeUpSignal {}
