import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ROLLOUT_ORDER } from '../../scripts/kubernetes/rollout-order.mjs';
import { CallbackLog } from '../support/callback-log.js';
import { LocalChain } from '../support/local-chain.js';
import { describeWith, pathOf } from '../support/needs.js';
import { HeldJobs } from './held-jobs.js';
import { PasskeyThief } from './passkey-thief.js';
import { Smoke } from './smoke.js';
import { TwoReleases } from './two-releases.js';

/**
 * Queues and events that this release adds. The previous one leaves them in failed jobs and in the outbox, for the next instance of
 * this release. Empty it when the baseline moves.
 */
const ADDED: readonly string[] = [];
/** Tables that migrations of this release add, with their indexes. Every other one must stay the same. */
const ADDED_TABLES = [
  'announced_evaluations%',
  'audit_records_actor_id_idx',
  'callback_endpoints%',
  'checks_explained%',
  'communities_without_application%',
  'community_contracts%',
  'delegated_vaults%',
  'deliveries_endpoint%',
  'deliveries_event_community%',
  'lost_roles%',
  'member_accounts%',
  'ownership_offers%',
  'polled_contracts%',
  'portal_creations%',
  'publishable_ids%',
  'published_rules%',
  'removed_members_user_idx',
  'transfer_checks%',
  'transfer_watchers%',
];
const HELD = ['check-roles', 'community-events', 'member-checks', 'wallet-events'];
const FAST = {
  ADDRESS_REQUESTS_PER_SECOND: '100000',
  CREDENTIAL_FEED_INTERVAL_MS: '200',
  OUTBOX_POLL_MS: '200',
  QUEUE_BACKOFF_MS: '200',
};

describeWith('previous-release')('a rolling upgrade', () => {
  let chain: LocalChain;
  let callbacks: CallbackLog;
  let releases: TwoReleases;
  let smoke: Smoke;
  let thief: PasskeyThief;
  let jobs: HeldJobs;

  beforeAll(async () => {
    chain = await LocalChain.start();
    await chain.installMulticall3();
    callbacks = await CallbackLog.start();
    const rpc = { [`RPC_URL_${chain.chainId}`]: chain.rpcUrl };
    releases = await TwoReleases.create(pathOf('previous-release'), { ...FAST, ...rpc });
    await releases.migrate('previous');
    await releases.replace(ROLLOUT_ORDER, 'previous');
    smoke = await Smoke.start(releases, chain, callbacks);
    thief = await PasskeyThief.start(releases);
    jobs = await HeldJobs.start(releases);
  });

  afterAll(async () => {
    await jobs.stop();
    await releases.stop();
    await callbacks.stop();
    await chain.stop();
  });

  /** @returns ids of checks that wait in the queue and in the outbox */
  async function makeWaitingJobs(): Promise<string[]> {
    await jobs.holdQueues();
    const inQueue = await smoke.acceptCheck();
    await smoke.join();
    await jobs.holdOutboxes();
    const inOutbox = await smoke.acceptCheck();
    await smoke.join();
    expect(await jobs.findHolding()).toEqual(expect.arrayContaining(HELD));
    expect(await jobs.countRows()).toBeGreaterThan(2);
    return [inQueue, inOutbox];
  }

  it('T50: rolling upgrade: begins where the previous release serves clients', async () => {
    await smoke.run();
  });

  it('T50: rolling upgrade: lets the previous release serve and start on the migrated databases', async () => {
    const tables = `
      SELECT relnamespace::regnamespace::text AS schema, oid, relname FROM pg_class
      WHERE relnamespace::regnamespace::text = ANY ($1) AND NOT relname LIKE ANY ($2) ORDER BY oid`;
    const schemas = releases.names.map((name) => name.replace('-', '_'));
    const before = await releases.query(tables, [schemas, ADDED_TABLES]);
    await releases.migrate('this');
    for (const schema of schemas)
      expect(
        await releases.query(`SELECT FROM ${schema}.migrations WHERE name LIKE 'Baseline%'`),
      ).toHaveLength(1);
    expect(await releases.query(tables, [schemas, ADDED_TABLES])).toEqual(before);
    await smoke.run();
    await releases.replace(ROLLOUT_ORDER, 'previous');
    await smoke.run();
  });

  it.each(ROLLOUT_ORDER)(
    'T50, T300: rolling upgrade: serves with the apps up to %s replaced',
    async (name) => {
      await releases.replace([name], 'this');
      await smoke.run();
      await thief.run();
    },
  );

  it.each(ROLLOUT_ORDER.toReversed())(
    'T50, T300: rolling upgrade: serves with the apps from %s on taken back',
    async (name) => {
      await releases.replace([name], 'previous');
      await smoke.run();
      await thief.run();
    },
  );

  it('T50: rolling upgrade: handles the jobs that the previous release left in queues and outboxes', async () => {
    const checks = await makeWaitingJobs();
    await releases.replace(ROLLOUT_ORDER, 'this');
    await jobs.release();
    await smoke.untilCalledBack(checks);
    await smoke.untilEverybodyCounts();
    expect(await jobs.findUnread()).toEqual(new Set());
  });

  it('T50: rolling upgrade: leaves jobs that the previous release handles', async () => {
    const checks = await makeWaitingJobs();
    await releases.replace(ROLLOUT_ORDER, 'previous');
    await jobs.release();
    await smoke.untilCalledBack(checks);
    await smoke.untilEverybodyCounts();
    const unread = [...(await jobs.findUnread())];
    expect(unread.filter((job) => !ADDED.some((one) => job === one || job.startsWith(`${one}:`)))).toEqual(
      [],
    );
    await smoke.run();
  });

  /** The order is that of a rollout of all apps at once that comes by chance. */
  it.each(ROLLOUT_ORDER.toReversed())(
    'T50, T300: rolling upgrade: serves with %s replaced before the apps that it asks',
    async (name) => {
      await releases.replace([name], 'this');
      await smoke.run();
      await thief.run();
    },
  );
});
