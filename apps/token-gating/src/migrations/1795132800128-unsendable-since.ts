import { addUnsendableSince, dropUnsendableSince } from '@app/outbox';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long a job has been unsendable, and not how old it is: those that waited for a queue are not given up at once. */
export class UnsendableSince1795132800128 implements MigrationInterface {
  readonly name = 'UnsendableSince1795132800128';

  up(runner: QueryRunner): Promise<void> {
    return addUnsendableSince(runner, 'token_gating');
  }

  down(runner: QueryRunner): Promise<void> {
    return dropUnsendableSince(runner, 'token_gating');
  }
}
