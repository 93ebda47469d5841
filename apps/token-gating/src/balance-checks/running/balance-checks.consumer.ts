import {
  balanceChecksQueue,
  type BalanceChecksJob,
  Consumer,
  Consumes,
  InjectProducer,
  type Producer,
} from '@app/queues';
import { ServiceContext } from '@app/service';
import { BalanceCheckMetrics } from '../balance-check-metrics.js';
import { RunTurn } from './run-turn.js';
import { RunningBalanceChecks } from './running-balance-checks.js';

/** Enough to keep chains busy, and few: their reads wait for each other on the background lane, and have ten seconds. */
const CONCURRENCY = 2;

/** Runs the checks of communities, a turn each. Any number of workers may have the same one: the row's place is the fence. */
@Consumes(balanceChecksQueue, { concurrency: CONCURRENCY })
export class BalanceChecksConsumer extends Consumer<BalanceChecksJob> {
  constructor(
    private readonly running: RunningBalanceChecks,
    private readonly runTurn: RunTurn,
    private readonly metrics: BalanceCheckMetrics,
    private readonly context: ServiceContext,
    @InjectProducer(balanceChecksQueue) private readonly producer: Producer<typeof balanceChecksQueue>,
  ) {
    super();
  }

  handle(job: BalanceChecksJob): Promise<void> {
    return this.metrics.during(() => this.run(job));
  }

  private async run({ checkId, turn }: BalanceChecksJob): Promise<void> {
    for (;;) {
      const check = await this.running.load(checkId);
      if (check?.turn !== turn) return; // finished, gone, or further on
      const outcome = await this.runTurn.run(check);
      if (outcome === 'over') this.enqueue(checkId, turn + 1);
      if (outcome !== 'rules_changed') return;
    }
  }

  private enqueue(checkId: string, turn: number): void {
    this.producer.enqueue({ version: 1, checkId, turn }).catch((error: unknown) => {
      this.context.logger.warn({ err: error, checkId, turn }, 'not enqueued, left to the sweeper');
    });
  }
}
