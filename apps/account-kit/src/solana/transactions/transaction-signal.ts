import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Wakes the worker of this instance when a transaction is signed. */
@Injectable()
export class TransactionSignal extends WakeUpSignal {}
