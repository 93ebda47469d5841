import type { TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { checkNotFound } from '../checks/async/async-check.errors.js';
import { CheckResultRepository } from '../checks/async/check-result.repository.js';

/** Results of asynchronous checks for polling (contract.md section 5). */
@Injectable()
export class CheckResponseService {
  constructor(private readonly results: CheckResultRepository) {}

  /** Returns `requestId` alone while the check is not finished. @throws AppError 404 for checks of other clients */
  async find(requestId: string, clientId: string): Promise<TokenGatingResponse> {
    const stored = await this.results.find(requestId, clientId);
    if (!stored) throw checkNotFound();
    return stored.result ? { requestId, ...stored.result } : { requestId };
  }
}
