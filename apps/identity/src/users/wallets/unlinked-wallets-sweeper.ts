import { MINUTE_MS } from '@app/common';
import { Database } from '@app/database';
import { ServiceContext, Sweeper } from '@app/service';
import { Injectable } from '@nestjs/common';
import { forgetUnlinkedWallets } from './unlinked-wallets.queries.js';

const SWEEP_INTERVAL_MS = MINUTE_MS;
const MAX_ROWS = 1_000;

/** Forgets wallets that were unlinked some days ago. */
@Injectable()
export class UnlinkedWalletsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    const sweep = async (): Promise<boolean> =>
      (await forgetUnlinkedWallets(database, MAX_ROWS)) === MAX_ROWS;
    super(context, [{ name: 'forget unlinked wallets', sweep }], SWEEP_INTERVAL_MS);
  }
}
