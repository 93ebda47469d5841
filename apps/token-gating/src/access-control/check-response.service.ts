import type { TokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { checkNotFound } from '../checks/async/async-check.errors.js';
import type { CheckReader } from '../checks/async/checks.queries.js';
import { CheckResultRepository } from '../checks/async/check-result.repository.js';

/** Results of asynchronous checks for polling (contract.md section 5). */
@Injectable()
export class CheckResponseService {
  constructor(private readonly results: CheckResultRepository) {}

  /** Returns `requestId` alone while the check is not finished. @throws AppError 404 for checks that the reader may not see */
  async find(requestId: string, reader: CheckReader): Promise<TokenGatingResponse> {
    const stored = await this.results.find(requestId, reader);
    if (!stored) throw checkNotFound();
    return stored.result ? { requestId, ...stored.result } : { requestId };
  }
}
