import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { ACTION_LIMITS } from './action-limits.js';
import type { ActionOutcome } from './action-outcome.js';
import { ActionRunnerService } from './action-runner.service.js';
import type { SignActionBytes } from './action-thread.js';
import { actionFailed, actionLimitExceeded } from './actions.errors.js';
import type { CustomActionRequest, CustomActionResponse } from './custom-action.dto.js';
import type { CustomAction } from './custom-actions.queries.js';
import { CustomActionsService } from './custom-actions.service.js';

@Injectable()
export class CustomActionMetrics {
  private readonly actions: Counter<'outcome'>;

  constructor({ metrics }: ServiceContext) {
    this.actions = new Counter({
      name: 'custom_actions_total',
      help: 'Custom actions by outcome; `not_run` for those that waited too long, whose signer failed, or whose worker did.',
      labelNames: ['outcome'],
      registers: [metrics.registry],
    });
  }

  /** Counts how a run ends. */
  async observe(run: Promise<ActionOutcome>): Promise<ActionOutcome> {
    try {
      const result = await run;
      this.actions.inc({ outcome: result.outcome });
      return result;
    } catch (error) {
      this.actions.inc({ outcome: 'not_run' });
      throw error;
    }
  }
}

/** Whether arrays and objects are nested at most `maxDepth` deep. */
function isWithinDepth(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return maxDepth > 0 && Object.values(value).every((inner) => isWithinDepth(inner, maxDepth - 1));
}

/** A key of purpose `action`, which owns no account. */
export interface ActionSigner {
  readonly address: string;
  /**
   * Signs with the key, as a personal message (EIP-191): what is signed begins with `\x19Ethereum Signed Message`, so that it is
   * never a transaction or typed data. User operations of EntryPoint 0.7 are signed as personal messages too: what protects
   * accounts is that this key owns none.
   */
  readonly sign: SignActionBytes;
}

/** The client application and the account for which an action runs. */
interface ActionCaller {
  /** `ownerId` is its tenant. */
  readonly client: { readonly id: string; readonly ownerId: string };
  readonly loadSigner: (action: CustomAction) => Promise<ActionSigner>;
}

/** Runs custom actions that are on the list of a client application (contract.md section 10). */
@Injectable()
export class ActionService {
  constructor(
    private readonly actions: CustomActionsService,
    private readonly runner: ActionRunnerService,
    private readonly metrics: CustomActionMetrics,
  ) {}

  /** @throws AppError 404 when it is not listed, 400 when it fails or exceeds a limit, 429, 503, errors of `sign` */
  async execute(
    { client, loadSigner }: ActionCaller,
    { actionIpfs, actionJsParams }: CustomActionRequest,
  ): Promise<CustomActionResponse> {
    const action = await this.actions.load(client.id, actionIpfs);
    const { address: actionAddress, sign } = await loadSigner(action);
    const program = { source: action.source.toString('utf8'), params: JSON.stringify(actionJsParams) };
    const outcome = await this.metrics.observe(this.runner.run(client.ownerId, program, sign));
    const result = toResult(outcome);
    return { response: { actionAddress, result } };
  }
}

function toResult(outcome: ActionOutcome): unknown {
  if (outcome.outcome === 'failed') throw actionFailed(outcome.message);
  if (outcome.outcome === 'limit_exceeded') throw actionLimitExceeded(outcome.limit);
  const result: unknown = JSON.parse(outcome.json);
  if (!isWithinDepth(result, ACTION_LIMITS.resultDepth)) throw actionLimitExceeded('result');
  return result;
}
