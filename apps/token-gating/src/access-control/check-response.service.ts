import type { TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { checkNotFound } from '../checks/async/async-check.errors.js';
import { CheckResultRepository } from '../checks/async/check-result.repository.js';

/** What polling gives (contract.md section 5). */
@Injectable()
export class CheckResponseService {
  constructor(private readonly answers: CheckResultRepository) {}

  /** Only `requestId` while the check is not finished. @throws AppError 404 for what is not this client's to see */
  async find(requestId: string, clientId: string): Promise<TokenGatingResponse> {
    const answer = await this.answers.find(requestId, clientId);
    if (!answer) throw checkNotFound();
    return answer.result ? { requestId, ...answer.result } : { requestId };
  }
}
