import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Wakes the relay when this process has committed jobs to the outbox. */
@Injectable()
export class OutboxSignal extends WakeUpSignal {}
