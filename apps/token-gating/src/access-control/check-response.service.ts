import type { TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { checkNotFound } from '../async-checks/async-check.errors.js';
import { CheckAnswers } from '../async-checks/check-answers.js';

/** What polling gives (contract.md section 5). */
@Injectable()
export class CheckResponseService {
  constructor(private readonly answers: CheckAnswers) {}

  /** Only `requestId` while the check is not finished. @throws AppError 404 for what is not this client's to see */
  async find(requestId: string, clientId: string): Promise<TokenGatingResponse> {
    const answer = await this.answers.find(requestId, clientId);
    if (!answer) throw checkNotFound();
    return answer.result ? { requestId, ...answer.result } : { requestId };
  }
}
