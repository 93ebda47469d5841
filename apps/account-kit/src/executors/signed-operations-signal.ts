import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';
@Injectable()
export class SignedOperationsSignal extends WakeUpSignal {}
